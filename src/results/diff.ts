import { z } from 'zod';
import { outsideSentence, outsideSentences } from '../contract/outside.js';
import { headlineFigure } from './comparison.js';
import { interval, resultVersion, tool } from './result.js';

/** The runs of one target on one side. */
export const diffSide = z.strictObject({
  target: z.string(),
  directories: z.array(z.string()),
  verdicts: z.strictObject({ clean: z.number().int(), limited: z.number().int(), void: z.number().int() }),
  /** What speaks against its numbers, each once. */
  evidence: outsideSentences,
  /** Of a single run: other kept runs of its shape, target, versions and machine, out of which is known what changes between runs. */
  beside: z.array(z.string()),
  /** What ended its runs otherwise than planned. */
  stops: outsideSentences,
});

export type DiffSide = z.output<typeof diffSide>;

/** What is known of a figure on one side: of several runs their median; of void runs nothing. */
export const diffValue = headlineFigure.omit({ column: true }).extend({
  /** Whether the rig may have written a part of it in any of the runs: the target's is that or less. */
  isDoubted: z.boolean(),
});

export type DiffValue = z.output<typeof diffValue>;

/**
 * How a change was held against the noise. `broadcasts`: one run a side, and the intervals that its broadcasts give; `beside`: few runs a side, and the
 * spread of the runs kept beside the baseline; `runs`: the spread between several runs, and within each; `permutation`: a permutation test on the runs'
 * values; `fromNothing`: the baseline has none of what should not be; `equal`: all runs say the same; `unknown`: nothing here tells.
 */
const noiseBases = ['broadcasts', 'beside', 'runs', 'permutation', 'fromNothing', 'equal', 'unknown'] as const;

/**
 * From this factor on a change is taken for one although nothing is known of what changes between runs: on two shared cores single runs of an unchanged
 * target seldom part by as much.
 */
export const doubling = 2;

/** One figure on both sides. */
export const diffRow = z.strictObject({
  /** As in thresholds: `delivery.p99`, `lost`, `delivered%`, `footprint`. */
  name: z.string(),
  kind: z.enum(['figure', 'count', 'share', 'footprint']),
  unit: z.enum(['us', 'count', 'share', 'bytes']),
  /** Whether the scenario's scoreboard has a column of it. */
  isHeadline: z.boolean(),
  better: z.enum(['lower', 'higher', 'neither']),
  baseline: diffValue.nullable(),
  candidate: diffValue.nullable(),
  /** Candidate less baseline, in the unit, of what `toldValue` says; null where one of them is not known. */
  change: z.number().nullable(),
  /** The same as a share of the baseline; null where that is 0. */
  changeShare: z.number().nullable(),
  noise: z.strictObject({
    basis: z.enum(noiseBases),
    /** Null where nothing tells. */
    isBeyond: z.boolean().nullable(),
    /** Candidate over baseline, 95 %. */
    ratioInterval: interval.nullable(),
    /** Of the permutation test, both sides. */
    p: z.number().nullable(),
  }),
  /** `changed`: by more than the noise, in a figure of which neither way is better. `differs`: two single runs part by more than each varies within, and what changes between runs can't settle it. */
  judgement: z.enum(['better', 'worse', 'changed', 'differs', 'same', 'unknown']),
});

export type DiffRow = z.output<typeof diffRow>;

/** Whether a figure decides how a diff ends: of the dozens that a run has beside its headline, one in forty is worse by chance. */
export function isDeciding({ isHeadline, noise }: DiffRow): boolean {
  return isHeadline || noise.basis === 'fromNothing';
}

/** What a side is told by: the median of its runs; of what should not be, and was not before, its worst run, by which that is judged. */
export function toldValue(
  value: DiffValue | null,
  { better, noise }: { better: DiffRow['better']; noise: Pick<DiffRow['noise'], 'basis'> },
): number | null {
  if (value === null) return null;
  if (noise.basis !== 'fromNothing') return value.median;
  return better === 'higher' ? value.least : value.most;
}

/** One promise on both sides: how many of how many runs kept it; null where it was not given. */
export const diffPromise = z.strictObject({
  text: outsideSentence,
  baseline: z.strictObject({ kept: z.number().int(), runs: z.number().int() }).nullable(),
  candidate: z.strictObject({ kept: z.number().int(), runs: z.number().int() }).nullable(),
  judgement: z.enum(['better', 'worse', 'same', 'unknown']),
});

export type DiffPromise = z.output<typeof diffPromise>;

/** One target of the baseline and its counterpart. */
export const diffPart = z.strictObject({
  baseline: diffSide,
  candidate: diffSide,
  /** What else differs between the two: versions, settings, machines. */
  differs: outsideSentences,
  /** Whether the cores of the two sides' machines were of so different a speed that this alone may part their figures. */
  hasOtherSpeed: z.boolean(),
  rows: z.array(diffRow),
  promises: z.array(diffPromise),
});

export type DiffPart = z.output<typeof diffPart>;

/** Whether a side has no run of which a number could be believed. */
export function isVoid({ verdicts }: DiffSide): boolean {
  return verdicts.clean + verdicts.limited === 0;
}

/** Whether the rig or its machine may have written what changed in a part: not every run of both sides is clean, or a core was of another speed. */
export function isDoubtful({
  baseline,
  candidate,
  hasOtherSpeed,
}: Pick<DiffPart, 'baseline' | 'candidate' | 'hasOtherSpeed'>): boolean {
  return hasOtherSpeed || [baseline, candidate].some(({ verdicts }) => verdicts.limited + verdicts.void > 0);
}

/** Whether a run of either side, clean as it may be, doubts that very figure. */
export function isDoubtedRow({ baseline, candidate }: Pick<DiffRow, 'baseline' | 'candidate'>): boolean {
  return [baseline, candidate].some((side) => side?.isDoubted === true);
}

/** What of all that decides became worse in a part, by name, and whether the rig or its machine may have written it. */
export function regressionsIn(part: DiffPart): { name: string; isDoubtful: boolean }[] {
  const isPartDoubtful = isDoubtful(part);
  return [
    ...part.rows.filter((row) => isDeciding(row)).map((row) => ({ ...row, isOwn: isDoubtedRow(row) })),
    ...part.promises.map((promise) => ({ ...promise, name: promise.text, isOwn: false })),
  ].flatMap(({ name, judgement, isOwn }) =>
    judgement === 'worse' ? [{ name, isDoubtful: isPartDoubtful || isOwn }] : [],
  );
}

/** What `ringside diff --json` prints. */
export const diff = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  scenario: z.string(),
  baseline: z.string(),
  candidate: z.string(),
  /** How the shapes differ, where they were held against each other by force; empty otherwise. */
  forced: z.string(),
  parts: z.array(diffPart),
  /** Targets that ran on one side only. */
  unmatched: z.array(z.strictObject({ target: z.string(), on: z.enum(['baseline', 'candidate']) })),
  /** Names of what became worse by more than the noise, by which the command exits: figures of the headline, faults that were none before, and promises, as `target  figure`. */
  regressions: z.array(z.string()),
  /** Names of other figures that became worse, of which one in forty is by chance. */
  otherwiseWorse: z.array(z.string()),
});

export type Diff = z.output<typeof diff>;
