import { z } from 'zod';
import { outsideSentence, outsideSentences } from '../contract/problems.js';
import { answers, openReasons } from '../measure/statement.js';
import { headlineFigure } from './comparison.js';
import { interval, resultVersion, tool, verdictCounts } from './result.js';

export const diffSide = z.strictObject({
  target: z.string(),
  directories: z.array(z.string()),
  verdicts: verdictCounts,
  evidence: outsideSentences,
  /** For a single run: earlier runs of the same shape, target, versions and machine. Their spread is its noise. */
  beside: z.array(z.string()),
  stops: outsideSentences,
});

export type DiffSide = z.output<typeof diffSide>;

/** Describes a figure on one side: the median of several runs. Void runs have none. */
export const diffValue = headlineFigure.omit({ column: true }).extend({
  /** Set if the rig may have raised it in any run. */
  isBounded: z.boolean(),
  /** Lower bound in any run, as a share of the figure. Left out if it is exact, and in older documents. */
  leastShare: z.number().optional(),
});

export type DiffValue = z.output<typeof diffValue>;

/**
 * Names the comparisons of a change with noise. `broadcasts`: one run per side, the intervals of its broadcasts.
 * `beside`: few runs, the spread of earlier ones. `runs`: the spread of several runs. `permutation`: a permutation test
 * on them. `fromNothing`: a fault that the baseline does not have. `equal`: all runs agree. `unknown`: no noise is
 * known.
 */
const noiseBases = ['broadcasts', 'beside', 'runs', 'permutation', 'fromNothing', 'equal', 'unknown'] as const;

/** A change by this factor counts even if the noise between runs is unknown. Single runs seldom differ by as much. */
export const doubling = 2;

/** A change that is open for `fewRuns` is of two single runs; for `chance`, its noise is unknown. */
const change = z.strictObject({
  relation: z.enum(['better', 'worse', 'changed']),
  holds: z.enum(answers),
  because: z.enum(openReasons).optional(),
});

export type Change = z.output<typeof change>;

export const diffRow = z.strictObject({
  /** Name as in thresholds: `delivery.p99`, `lost`, `delivered%`, `footprint`. */
  name: z.string(),
  kind: z.enum(['figure', 'count', 'share', 'footprint']),
  unit: z.enum(['us', 'count', 'share', 'bytes']),
  isHeadline: z.boolean(),
  better: z.enum(['lower', 'higher', 'neither']),
  baseline: diffValue.nullable(),
  candidate: diffValue.nullable(),
  /** Candidate minus baseline by `toldValue`. Null if either is unknown. */
  change: z.number().nullable(),
  /** Share of the baseline. Null if that is 0. */
  changeShare: z.number().nullable(),
  noise: z.strictObject({
    basis: z.enum(noiseBases),
    isBeyond: z.boolean().nullable(),
    /** Candidate over baseline, 95 %. */
    ratioInterval: interval.nullable(),
    p: z.number().nullable(),
  }),
  ...change.shape,
  /** Possible effect of the rig or other programs on an open figure. */
  why: outsideSentence.optional(),
});

export type DiffRow = z.output<typeof diffRow>;

/** Returns true if a figure decides the exit code. Of the many others, 1 in 40 is worse by chance. */
export function isDeciding({ isHeadline, noise }: DiffRow): boolean {
  return isHeadline || noise.basis === 'fromNothing';
}

/** Returns the value of a side: its median, or its worst run for a fault that the baseline does not have. */
export function valueOfSide(
  value: DiffValue | null,
  { better, noise }: { better: DiffRow['better']; noise: Pick<DiffRow['noise'], 'basis'> },
): number | null {
  if (value === null) return null;
  if (noise.basis !== 'fromNothing') return value.median;
  return better === 'higher' ? value.least : value.most;
}

const passedRuns = z.strictObject({ kept: z.number().int(), runs: z.number().int() });

/** Describes one threshold on both sides: the number of runs that passed it. Null if it was not set. */
export const thresholdChange = z.strictObject({
  text: outsideSentence,
  baseline: passedRuns.nullable(),
  candidate: passedRuns.nullable(),
  ...change.shape,
});

export type ThresholdChange = z.output<typeof thresholdChange>;

export const diffPart = z.strictObject({
  baseline: diffSide,
  candidate: diffSide,
  differs: outsideSentences,
  hasOtherSpeed: z.boolean(),
  rows: z.array(diffRow),
  thresholds: z.array(thresholdChange),
});

export type DiffPart = z.output<typeof diffPart>;

export function isVoid({ verdicts }: DiffSide): boolean {
  return verdicts.clean + verdicts.limited === 0;
}

/** Explains why the rig may have caused any change of a part. Empty if it did not. */
export function rigRemarkOf({ baseline, candidate, hasOtherSpeed }: Omit<DiffPart, 'rows' | 'thresholds'>): string {
  const has = (kind: 'limited' | 'void'): boolean => [baseline, candidate].some(({ verdicts }) => verdicts[kind] > 0);
  if (hasOtherSpeed) return 'the cores of the machines differ in speed';
  if (has('limited')) return 'the load generator reached a limit in a run';
  return has('void') ? 'a run is void' : '';
}

/** Returns true if a change does not hold at both ends of the brackets of its figures. */
export function isBoundedRow(row: Pick<DiffRow, 'baseline' | 'candidate' | 'noise'>): boolean {
  const { baseline, candidate, noise } = row;
  const [was, is] = [baseline, candidate].map((value) => value?.leastShare ?? (value?.isBounded ? 0 : 1)) as [
    number,
    number,
  ];
  if (was === 1 && is === 1) return false;
  const times = baseline && candidate ? candidate.median / baseline.median : 1;
  const [low, high] = noise.ratioInterval ?? [times, times];
  return low * is <= 1 && high >= was;
}

/** Returns the deciding figures and thresholds that got worse, and why that is undecided. Empty if it is clear. */
export function regressionsIn(part: DiffPart): { name: string; because: string }[] {
  const figures = part.rows
    .filter(isDeciding)
    .flatMap(({ name, relation, why = '' }) => (relation === 'worse' ? [{ name, because: why }] : []));
  const broken = part.thresholds.filter(({ relation }) => relation === 'worse');
  return [...figures, ...broken.map(({ text }) => ({ name: text, because: rigRemarkOf(part) }))];
}

/** Describes the output of `ringside diff --json`. */
export const diff = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  scenario: z.string(),
  baseline: z.string(),
  candidate: z.string(),
  /** Differences of the shapes, with `--force`. Empty otherwise. */
  forced: z.string(),
  parts: z.array(diffPart),
  unmatched: z.array(z.strictObject({ target: z.string(), on: z.enum(['baseline', 'candidate']) })),
  /** `target  figure` of everything that became worse for sure and sets the exit code. */
  regressions: z.array(z.string()),
  /** `target  figure` of everything that may be no worse, and why. */
  undecided: z.array(z.strictObject({ name: z.string(), because: outsideSentence })),
  /** Other figures that got worse. 1 in 40 is by chance. */
  otherwiseWorse: z.array(z.string()),
});

export type Diff = z.output<typeof diff>;
