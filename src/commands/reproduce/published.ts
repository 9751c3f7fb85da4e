import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { type PublishedTable, publishedFile, tablesOf } from '../../results/published.js';

/** From the sources the published figures are three folders up, from the compiled files four. */
function shippedDirectory(): string | undefined {
  return ['../../../results/published', '../../../../results/published']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
}

/** Every table of the published figures in a directory, by default of those that come with Ringside. Throws `ProblemError` with all that is wrong. */
export function readPublished(directory: string | undefined = shippedDirectory()): PublishedTable[] {
  if (directory === undefined || !existsSync(directory))
    throw new ProblemError([
      problem('notFound', `there are no published figures in ${directory ?? 'this installation'}`),
    ]);
  const problems: Problem[] = [];
  const tables = readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => tablesIn(join(directory, name), problems));
  const seen = new Set<string>();
  for (const id of tables.flatMap((table) => [table.id, ...table.figures.map((figure) => figure.id)])) {
    if (seen.has(id)) problems.push(problem('badFile', `${directory}: ${id} is there twice`, eachOnce));
    seen.add(id);
  }
  if (problems.length > 0) throw new ProblemError(problems);
  return tables;
}

const eachOnce = 'Every table and figure has an id of its own, over all files of the directory.';
const formHint = 'The files of results/published show the form.';

function tablesIn(path: string, problems: Problem[]): PublishedTable[] {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    problems.push(problem('badFile', `${path}: ${(error as Error).message}`, formHint));
    return [];
  }
  const parsed = publishedFile.safeParse(json);
  if (parsed.success) return tablesOf(parsed.data);
  problems.push(
    ...parsed.error.issues.map((issue) =>
      problem('badFile', `${path}: ${issue.path.join('.')}: ${issue.message}`, formHint),
    ),
  );
  return [];
}

/** The tables that the names ask for, each with the figures asked for: all, where the table itself is named. Throws `ProblemError` of names that are none. */
export function chosenTables(tables: readonly PublishedTable[], names: readonly string[]): PublishedTable[] {
  const ids = tables.flatMap((table) => [table.id, ...table.figures.map(({ id }) => id)]);
  const unknown = names.filter((name) => !ids.includes(name));
  if (unknown.length > 0) {
    throw new ProblemError(
      unknown.map((name) =>
        problem(
          'unknownName',
          `there is no published figure or table called ${JSON.stringify(name)}; near it are ${nearest(name, ids).join(', ')}`,
          'Run `ringside reproduce --list WORD…` to find one.',
        ),
      ),
    );
  }
  return tables.flatMap((table) => {
    const figures = names.includes(table.id) ? table.figures : table.figures.filter(({ id }) => names.includes(id));
    return figures.length > 0 ? [{ ...table, figures }] : [];
  });
}

/** Those that have most words in common with the name; of equal ones the shorter, for a table stands for its figures. */
export function nearest(name: string, ids: readonly string[], most = 3): string[] {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const common = (id: string): number =>
    words.filter((word) => id.split('-').some((each) => each.startsWith(word))).length;
  return [...ids].sort((a, b) => common(b) - common(a) || a.length - b.length || (a < b ? -1 : 1)).slice(0, most);
}
