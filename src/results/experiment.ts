import { z } from 'zod';
import { type ExitName, exitCodes } from '../contract/exit-codes.js';
import { outsideSentence, outsideSentences } from '../contract/problems.js';
import { machine } from '../contract/shard.js';
import { comparison, comparisonRow } from './comparison.js';
import { experimentHead, unfinished } from './journal.js';
import { rigLoad, verdict, verdictCounts } from './result.js';
import { finding, knee } from './search.js';

const count = z.number().int().min(0);
const figure = z.number().nullable();
/** Null with too few deliveries. */
const figures = z.strictObject({ p50: figure, p99: figure, max: figure });

/** Describes one load of the grid. Latencies are in microseconds. */
export const calibrationPoint = z.strictObject({
  load: rigLoad,
  /** Requested rate, if the metronome reached less. */
  offeredPerSecond: z.number().optional(),
  target: z.string(),
  asked: figures,
  /** Figures by the metronome's own stamps. */
  done: figures,
  measured: figures,
  error: figures,
  counts: z.record(z.string(), z.strictObject({ done: count, measured: count })),
  areCountsExact: z.boolean(),
  isTrusted: z.boolean(),
  rig: verdict.shape.rig,
  directory: z.string(),
});

export type CalibrationPoint = z.output<typeof calibrationPoint>;

/** Describes a calibration: the loads at which this machine is right. */
export const calibration = z.strictObject({
  ...experimentHead.shape,
  kind: z.literal('calibration'),
  machine,
  machineId: z.string(),
  orders: z.record(z.string(), z.unknown()),
  boundUs: z.number(),
  points: z.array(calibrationPoint),
  skipped: z.array(rigLoad),
});

export type Calibration = z.output<typeof calibration>;

/** A headline figure or threshold that is better or worse than in the baseline by more than the noise. */
const suiteChange = z.strictObject({
  /** Written as in thresholds, or the text of a threshold. */
  name: z.string(),
  /** A `threshold` has the shares of runs that kept it as values. */
  kind: z.enum(['figure', 'count', 'share', 'footprint', 'threshold']),
  baseline: z.number().nullable(),
  candidate: z.number().nullable(),
  relation: z.enum(['better', 'worse']),
  /** True if a run of either side, clean or not, has a bound at this figure. */
  isOpen: z.boolean().default(false),
});

export type SuiteChange = z.output<typeof suiteChange>;

const suiteRow = z.object({
  target: z.string(),
  state: comparisonRow.shape.state,
  why: outsideSentence,
  runs: z.number().int().min(0),
  verdicts: verdictCounts,
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
  isOpen: z.boolean().default(false),
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
  baseline: z.strictObject({ directory: z.string(), startedAt: z.iso.datetime() }).nullable(),
  notHeld: z.string(),
  differs: outsideSentences,
});

export type SuiteOutcome = z.output<typeof suiteOutcome>;

/** Describes the result of a suite. Paths are relative to its directory. */
export const suiteResult = z.strictObject({
  ...experimentHead.shape,
  kind: z.literal('suite'),
  name: z.string(),
  /** SHA-256 of the suite file's text, in hex. */
  hash: z.string(),
  seed: z.number().int(),
  endedAt: z.iso.datetime(),
  isComplete: z.boolean(),
  exit: z.enum(Object.keys(exitCodes) as [ExitName, ...ExitName[]]),
  entries: z.array(suiteOutcome),
});

export type SuiteResult = z.output<typeof suiteResult>;

/** Describes `experiment.json`: several runs with a question, which `kind` names. */
export const experiment = z.discriminatedUnion('kind', [
  comparison,
  finding,
  knee,
  calibration,
  suiteResult,
  unfinished,
]);

export type Experiment = z.output<typeof experiment>;
