import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import { type PublishedTable, publishedFile, tablesOf } from '../../results/published.js';
import type { Availability } from '../../targets/launch/programs.js';
import { targetByName } from '../../targets/list.js';
import { type Runtime, runtimes } from '../../targets/needs/list.js';
import type { Target } from '../../targets/target.js';
import { packageFile } from '../../units/package-files.js';

/** Command for searches. Tables name it in the place of a scenario. */
export const searchName = 'knee';

/** Reads every published table of a directory, by default the shipped ones. Throws `ProblemError` with all faults. */
export function readPublished(directory: string = packageFile('results/published')): PublishedTable[] {
  if (!existsSync(directory)) throw problemError('notFound', `there are no published figures in ${directory}`);
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

/** Returns the tables of a source by its id, or by the first words of their ids: `fighter` for `fighter-idle-1m`. */
function tablesOfSource(tables: readonly PublishedTable[], name: string): PublishedTable[] {
  return tables.filter(({ id, source }) => source.id === name || id.startsWith(`${name}-`));
}

/** Returns the tables of these names, sources and figures, these alone. Throws `ProblemError` for unknown names. */
export function chosenTables(tables: readonly PublishedTable[], names: readonly string[]): PublishedTable[] {
  const ids = tables.flatMap(idsOf);
  const isId = (name: string): boolean => ids.includes(name);
  const problems = names
    .filter((name) => !isId(name) && tablesOfSource(tables, name).length === 0)
    .map((name) => {
      const message = `no published figure, table or source is called ${JSON.stringify(name)}`;
      return problem('unknownName', message, 'Run `ringside reproduce --list WORD…` to find one.');
    });
  if (problems.length > 0) throw new ProblemError(problems);
  const ofSources = names.filter((name) => !isId(name)).flatMap((name) => tablesOfSource(tables, name));
  return tables.flatMap((table) => {
    const isWhole = names.includes(table.id) || ofSources.includes(table);
    const figures = isWhole ? table.figures : table.figures.filter(({ id }) => names.includes(id));
    return figures.length > 0 ? [{ ...table, figures }] : [];
  });
}

/** Holds a server of a published table and the target that runs for it here. */
export interface Contender {
  name: string;
  target: Target;
  processes: number | undefined;
  /** Written as in `--target-option`. */
  options: readonly string[];
  /** Text of what runs under the name; empty if it is the target of that name, unchanged. */
  by: string;
}

/** Holds a server of a published table that no target here can run for, and what it would take. */
export interface Absent {
  name: string;
  why: string;
}

/** Holds the runtimes that each target can run on here, by its name. */
export type RuntimesHere = ReadonlyMap<string, readonly Runtime[]>;

/** Returns the names of a table’s contenders, in the order of its figures. */
export function contenderNames({ figures }: Pick<PublishedTable, 'figures'>): string[] {
  return [...new Set(figures.map(({ target }) => target))];
}

/** Splits the contenders of a table into those that can run here, if need be on another runtime, and all others. */
export function contendersOf(
  table: PublishedTable,
  here: RuntimesHere = new Map(),
): { contenders: Contender[]; absent: Absent[] } {
  const found = contenderNames(table).map((name) => contenderOf(table, name, here));
  return {
    contenders: found.filter((each) => 'target' in each),
    absent: found.filter((each) => 'why' in each),
  };
}

function contenderOf({ contenders, elsewhere }: PublishedTable, name: string, here: RuntimesHere): Contender | Absent {
  const { target: named = name, processes, runtime: asked, options = {} } = contenders[name] ?? {};
  const target = targetByName(named);
  if (!target) {
    const what = named === name ? 'no target of that name is here' : `its target, ${named}, is not in this version`;
    return { name, why: elsewhere[name] ?? what };
  }
  const runtime = here.get(named)?.find((each) => each.name === asked);
  const texts = Object.entries(options).map((entry) => entry.join('='));
  const parts = [
    named !== name && named,
    processes !== undefined && `${processes} processes`,
    runtime !== undefined && `on ${runtime.name}`,
    asked !== undefined && runtime === undefined && `not on ${asked}, which is not ready here`,
    ...texts,
  ].filter((part) => part !== false);
  return {
    name,
    target: runtime ? (target.on?.(runtime) ?? target) : target,
    processes,
    options: texts,
    by: parts.join(', '),
  };
}

/** Resolves with the runtimes on which the targets of these tables can start here. */
export async function runtimesHere(tables: readonly PublishedTable[]): Promise<RuntimesHere> {
  const asked = tables.flatMap(({ contenders }) => Object.values(contenders));
  const distinct = new Map(asked.map(({ target, runtime }) => [`${target} on ${runtime}`, { target, runtime }]));
  const found = new Map<string, Runtime[]>();
  for (const { target: name, runtime: wanted } of distinct.values()) {
    const runtime = runtimes.find((each) => each.name === wanted);
    const available = runtime && (await targetByName(name)?.on?.(runtime).availability());
    if (runtime && available?.isAvailable) found.set(name, [...(found.get(name) ?? []), runtime]);
  }
  return found;
}

/** Says in one line why a target can’t start and what helps; empty if it can. */
export function lackIn(available: Availability): string {
  if (available.isAvailable) return '';
  return `${available.why.replace(/\.$/, '')}. ${available.hint}`.replaceAll('\n', ' ');
}
