import type { Comparison } from '../../contract/comparison.js';
import { type SuiteOutcome, worseIn } from '../../contract/suite.js';
import { firstDifference } from '../fingerprint.js';
import { shapeOf } from '../plan.js';
import { fingerprintOf, type PlannedEntry } from './plan.js';

/** What an entry is held against; the rest as `suiteHeld` says. */
export interface Baseline {
  comparison: Comparison;
  directory: string;
  isCarried: boolean;
  before: string[];
}

/** What an entry is held against, or why against nothing. */
export type Held = Baseline | { notHeld: string };

/**
 * Which file of the previous suite's entry is the baseline of the next. One that was worse for the first time is held once more against what it was held
 * against: only so can the next suite tell a lasting change from a bad night. What was worse twice is told, and is the new measure. One without a run that
 * can be believed is passed over. Pure.
 */
export function baselineOf(previous: SuiteOutcome): Pick<Baseline, 'isCarried' | 'before'> & { file: string } {
  const own = { file: 'comparison.json', isCarried: false, before: [] };
  if (previous.baseline === null) return own;
  const isMeasured = previous.rows.some(({ verdicts }) => verdicts.clean + verdicts.limited > 0);
  if (!isMeasured) return { ...own, file: baselineFile };
  const before = previous.rows.flatMap(worseIn);
  if (before.length === 0 || previous.again.length > 0) return own;
  return { file: baselineFile, isCarried: true, before };
}

/** In the directory of an entry: what it was held against. */
export const baselineFile = 'baseline.json';

/** How the shape of a baseline differs from that of an entry; undefined where they are of one shape, or where nothing ran that could tell. Pure. */
export function baselineDifference(entry: PlannedEntry, comparison: Comparison): string | undefined {
  if (comparison.fingerprint === fingerprintOf(entry)) return undefined;
  const [run] = comparison.rows.flatMap(({ runs }) => runs);
  const [plan] = entry.plans;
  const difference = run && plan && firstDifference(run.result.shape, JSON.parse(JSON.stringify(shapeOf(plan))));
  return difference ?? `shape ${comparison.fingerprint} and ${fingerprintOf(entry)}`;
}
