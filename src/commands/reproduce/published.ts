import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { type PublishedTable, publishedFile, tablesOf } from '../../results/published.js';
import { packageFile } from '../../units/package-files.js';

/** The command that searches where others run a scenario: tables name it in the place of one. */
export const searchName = 'knee';

/** Every published table of a directory, by default the shipped ones. Throws `ProblemError` with all that is wrong. */
export function readPublished(directory: string = packageFile('results/published')): PublishedTable[] {
  if (!existsSync(directory))
    throw new ProblemError([problem('notFound', `there are no published figures in ${directory}`)]);
  const problems: Problem[] = [];
  const tables = readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => tablesIn(join(directory, name), problems));
  const ids = tables.flatMap(idsOf);
  const hint = 'Give every table and figure an id that is unique in the directory.';
  for (const id of new Set(ids.filter((each, index) => ids.indexOf(each) !== index)))
    problems.push(problem('badFile', `${directory}: the id ${id} appears twice`, hint));
  if (problems.length > 0) throw new ProblemError(problems);
  return tables;
}

function idsOf(table: PublishedTable): string[] {
  return [table.id, ...table.figures.map(({ id }) => id)];
}

function tablesIn(path: string, problems: Problem[]): PublishedTable[] {
  const wrong = (message: string): Problem =>
    problem('badFile', `${path}: ${message}`, 'The files of results/published show the form.');
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    problems.push(wrong((error as Error).message));
    return [];
  }
  const parsed = publishedFile.safeParse(json);
  if (parsed.success) return tablesOf(parsed.data);
  problems.push(...parsed.error.issues.map((issue) => wrong(`${issue.path.join('.')}: ${issue.message}`)));
  return [];
}

/** The named tables, whole, and tables of named figures with these alone. Throws `ProblemError` for unknown names. */
export function chosenTables(tables: readonly PublishedTable[], names: readonly string[]): PublishedTable[] {
  const ids = tables.flatMap(idsOf);
  const problems = names
    .filter((name) => !ids.includes(name))
    .map((name) => {
      const near = `the nearest are ${nearest(name, ids).join(', ')}`;
      const message = `no published figure or table is called ${JSON.stringify(name)}; ${near}`;
      return problem('unknownName', message, 'Run `ringside reproduce --list WORD…` to find one.');
    });
  if (problems.length > 0) throw new ProblemError(problems);
  return tables.flatMap((table) => {
    const figures = names.includes(table.id) ? table.figures : table.figures.filter(({ id }) => names.includes(id));
    return figures.length > 0 ? [{ ...table, figures }] : [];
  });
}

/** The ids with most words of the name; among equals the shorter, because a table stands for its figures. */
export function nearest(name: string, ids: readonly string[], most = 3): string[] {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const common = (id: string): number =>
    words.filter((word) => id.split('-').some((each) => each.startsWith(word))).length;
  return [...ids].sort((a, b) => common(b) - common(a) || a.length - b.length || (a < b ? -1 : 1)).slice(0, most);
}
