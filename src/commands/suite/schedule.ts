import type { SuiteRun } from './book.js';
import type { PlannedEntry } from './plan.js';

/** One run of a suite that is to be made. */
export type Slot = Omit<SuiteRun, 'directory'>;

/** The runs of an entry in their order: its targets interleaved (A B C A B C), so that noise that varies with time falls on all alike. */
export function slotsOf({ name, plans, repeat }: Pick<PlannedEntry, 'name' | 'plans' | 'repeat'>): Slot[] {
  return Array.from({ length: repeat }, (_, round) =>
    plans.map(({ target }) => ({ entry: name, target: target.name, round })),
  ).flat();
}

/** Equal for slots that are the same run. */
export function slotKey({ entry, target, round }: Slot): string {
  return `${entry} ${target} ${round}`;
}

/** What a run takes beyond its load: to start bench-runner and target, to hand the samples over and to keep them. */
const overheadMs = 4000;

/** How long the entries may take, in milliseconds: every target there, and nothing done before its time. */
export function longestMs(entries: readonly PlannedEntry[]): number {
  const ofPlans = entries.flatMap(({ plans, repeat, scenario }) =>
    plans.map(({ options, load }) => repeat * (scenario.demand(options, load).durationMs + overheadMs)),
  );
  return ofPlans.reduce((sum, ms) => sum + ms, 0);
}
