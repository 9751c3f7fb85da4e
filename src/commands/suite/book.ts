import { z } from 'zod';
import { type ExitName, exitCodes } from '../../contract/exit-codes.js';
import { outsideSentence, outsideSentences } from '../../contract/problems.js';
import { countUnitOf } from '../../measure/ledger.js';
import { type Comparison, comparisonRow } from '../../results/comparison.js';
import { diffSide } from '../../results/diff.js';
import { resultVersion, tool } from '../../results/result.js';
import type { Scenario } from '../../scenarios/scenario.js';

/** File in the directory of an entry: the scoreboard that the entry is compared with. */
export const baselineFile = 'baseline.json';

/** Directory of a baseline. Version 0.1 kept more here, which is dropped. */
const suiteBaseline = z.object({ directory: z.string() });

const suiteHead = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  name: z.string(),
  /** SHA-256 of the suite file's text, in hex. */
  hash: z.string(),
  seed: z.number().int(),
  startedAt: z.iso.datetime(),
});

/** File in the directory of a suite: the finished runs. */
export const suiteProgressFile = 'progress.json';

/** `progress.json`: holds how a suite began and its finished runs. It is rewritten after each run. */
export const suiteProgress = z.strictObject({
  ...suiteHead.shape,
  entries: z.array(z.strictObject({ name: z.string(), fingerprint: z.string(), shards: z.number().int().min(1) })),
  held: z.record(z.string(), z.union([suiteBaseline, z.strictObject({ notHeld: z.string() })])),
  /** Finished runs. `round` counts from 0. */
  runs: z.array(
    z.strictObject({ entry: z.string(), target: z.string(), round: z.number().int().min(0), directory: z.string() }),
  ),
});

export type SuiteProgress = z.output<typeof suiteProgress>;

/** A headline figure or threshold that is better or worse than in the baseline by more than the noise. */
const suiteChange = z.strictObject({
  /** Written as in thresholds, or the text of a threshold. */
  name: z.string(),
  /** A `threshold` has the shares of runs that kept it as values. */
  kind: z.enum(['figure', 'count', 'share', 'footprint', 'threshold']),
  baseline: z.number().nullable(),
  candidate: z.number().nullable(),
  relation: z.enum(['better', 'worse']),
  /** True if a run of either side, clean or not, has a mark at this figure. */
  isDoubtful: z.boolean().default(false),
});

export type SuiteChange = z.output<typeof suiteChange>;

/** Returns true for a change of a count. Times, rates and memory of another night also depend on its machine. */
export function isCounted({ kind, name }: Pick<SuiteChange, 'kind' | 'name'>): boolean {
  return kind === 'share' || kind === 'threshold' || (kind === 'count' && countUnitOf(name) === 'count');
}

/** Returns true if a change fails a suite. */
export function isRegression(change: SuiteChange): boolean {
  return change.relation === 'worse' && isCounted(change);
}

const suiteRow = z.object({
  target: z.string(),
  state: comparisonRow.shape.state,
  why: outsideSentence,
  runs: z.number().int().min(0),
  verdicts: diffSide.shape.verdicts,
  thresholds: z.strictObject({
    given: z.number().int(),
    kept: z.number().int(),
    broken: outsideSentences,
    /** Number that the rig's part of a figure decides; left out if zero. */
    undecided: z.number().int().min(1).optional(),
  }),
  stops: outsideSentences,
  changes: z.array(suiteChange).nullable(),
  /** True if the rig may explain the changes: a run is not clean, or cores differ in speed. */
  isDoubtful: z.boolean().default(false),
  /** Number of headline figures with too few runs to distinguish a change from noise. */
  untold: z.number().int().min(0),
});

export type SuiteRow = z.output<typeof suiteRow>;

const suiteOutcome = z.object({
  name: z.string(),
  scenario: z.string(),
  fingerprint: z.string(),
  repeat: z.number().int().min(1),
  isRequired: z.boolean(),
  rows: z.array(suiteRow),
  /** Baseline, kept in `<entry>/baseline.json`; null without one. */
  baseline: suiteBaseline.extend({ startedAt: z.iso.datetime() }).nullable(),
  notHeld: z.string(),
  differs: outsideSentences,
});

export type SuiteOutcome = z.output<typeof suiteOutcome>;

/** File in the directory of a suite: its result. */
export const suiteResultFile = 'suite.json';

/** `suite.json`: holds the result of a suite. Paths are relative to its directory. */
export const suiteResult = z.strictObject({
  ...suiteHead.shape,
  endedAt: z.iso.datetime(),
  isComplete: z.boolean(),
  exit: z.enum(Object.keys(exitCodes) as [ExitName, ...ExitName[]]),
  entries: z.array(suiteOutcome),
});

export type SuiteResult = z.output<typeof suiteResult>;

/** Holds a suite with the scoreboards of its entries, in their order. */
export interface SuiteBook {
  suite: SuiteResult;
  boards: readonly { name: string; comparison: Comparison; scenario: Scenario }[];
}

/** Returns true if at worst some runs of a suite are limited: no broken threshold, no void run. */
export function isLimitedAtMost({ exit, entries }: SuiteResult): boolean {
  const isVoid = entries.some(({ rows }) => rows.some(({ verdicts }) => verdicts.void > 0));
  return exit === 'clean' || (exit === 'rig' && !isVoid);
}

/** Holds the scoreboard that an entry is compared with, and its directory. */
export interface Baseline {
  comparison: Comparison;
  directory: string;
}

/** Holds the baseline of an entry, or the reason why it has none. */
export type HeldBaseline = Baseline | { notHeld: string };
