import type { PublishedTable } from '../../results/published.js';
import { targetByName } from '../../targets/list.js';
import { type Runtime, runtimes } from '../../targets/runtimes.js';
import type { Availability, Target } from '../../targets/target.js';

/** A server of a published table, and the target that stands for it here. */
export interface Contender {
  name: string;
  target: Target;
  processes: number | undefined;
  /** As in `--target-option`. */
  options: readonly string[];
  /** What runs under the name; empty if it is the target of that name, as it is. */
  by: string;
}

/** A server of a published table for which no target stands, and what it takes. */
export interface Absent {
  name: string;
  why: string;
}

/** The runtimes that each target can run on here, by its name. */
export type RuntimesHere = ReadonlyMap<string, readonly Runtime[]>;

/** The names of a table’s contenders, in the order of its figures. */
export function contenderNames({ figures }: Pick<PublishedTable, 'figures'>): string[] {
  return [...new Set(figures.map(({ target }) => target))];
}

/** Who of a table can be fought again, and who can’t. A runtime that is not there is left out, and `by` says so. */
export function contendersOf(table: PublishedTable, here: RuntimesHere): { contenders: Contender[]; absent: Absent[] } {
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

/** The runtimes on which the targets of these tables can start here. */
export async function runtimesHere(tables: readonly PublishedTable[]): Promise<RuntimesHere> {
  const asked = tables.flatMap(({ contenders }) => Object.values(contenders));
  const found = new Map<string, Runtime[]>();
  const tried = new Set<string>();
  for (const { target: name, runtime: wanted } of asked) {
    const runtime = runtimes.find((each) => each.name === wanted);
    if (!runtime || tried.has(`${name} ${runtime.name}`)) continue;
    tried.add(`${name} ${runtime.name}`);
    const available = await targetByName(name)?.on?.(runtime).availability();
    if (available?.isAvailable) found.set(name, [...(found.get(name) ?? []), runtime]);
  }
  return found;
}

/** Why a target can’t start and what helps, in one line; empty if it can. */
export function lackIn(available: Availability): string {
  if (available.isAvailable) return '';
  return `${available.why.replace(/\.$/, '')}. ${available.hint}`.replaceAll('\n', ' ');
}
