import type { KeptRun } from '../compare/assemble.js';
import type { SuiteProgress } from './book.js';
import type { PlannedEntry } from './plan.js';

/** One run that a suite has to make. */
export type Slot = Omit<SuiteProgress['runs'][number], 'directory'>;

/** Finished runs by the key of their slot. */
export type Done = Map<string, KeptRun>;

/** The runs of an entry in order. Targets are interleaved (A B C A B C), so that slow drift affects all alike. */
export function slotsOf({ name, plans, repeat }: Pick<PlannedEntry, 'name' | 'plans' | 'repeat'>): Slot[] {
  return Array.from({ length: repeat }, (_, round) =>
    plans.map(({ target }) => ({ entry: name, target: target.name, round })),
  ).flat();
}

/** How many runs the entries have. */
export function runCount(entries: readonly PlannedEntry[]): number {
  return entries.reduce((sum, { plans, repeat }) => sum + plans.length * repeat, 0);
}

/** The same text for the same run. */
export function slotKey({ entry, target, round }: Slot): string {
  return `${entry} ${target} ${round}`;
}

/** Time that a run takes beyond its load: starting processes, handing over samples, writing files. */
const overheadMs = 4000;

/** The longest that entries can take, in milliseconds. */
export function longestMs(entries: readonly PlannedEntry[]): number {
  const ofPlans = entries.flatMap(({ plans, repeat, scenario }) =>
    plans.map(({ options, load }) => repeat * (scenario.demand(options, load).durationMs + overheadMs)),
  );
  return ofPlans.reduce((sum, ms) => sum + ms, 0);
}
