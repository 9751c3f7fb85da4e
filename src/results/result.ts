import { z } from 'zod';
import { describedModule, describedTarget } from '../contract/job.js';
import { ledgerEntries, outside, outsideSentence, outsideSentences, timelines } from '../contract/problems.js';
import { machine, shardResult, talkOf } from '../contract/shard.js';
import { type StopCode, stopCodes, stopReasons } from '../contract/stop-reasons.js';
import { toolName } from '../contract/version.js';
import type { Declaration } from '../measure/declaration.js';
import { seriesSchema } from '../measure/series.js';
import type { Holds } from '../measure/statement.js';
import { type TcpCounts, tcpTogether } from '../measure/tcp.js';
import { thresholdFigures } from '../measure/threshold.js';
import { gaugeSeries } from './progress.js';

/** Version of every kept document. It changes when readers must know. */
export const resultVersion = 2;

export const tool = z.strictObject({ name: z.literal(toolName), version: outside });

const figure = z.number().nullable();

/** Describes a 95 % interval, in the unit of its figure. */
export const interval = z.tuple([z.number(), z.number()]);

/** Describes one merged distribution. A percentile with too few samples is null. */
export const metricSummary = z.strictObject({
  unit: z.string(),
  count: z.number().int().min(0),
  /** Samples beyond the count that never came, or not within the run. A figure that falls on them is null. */
  unfinished: z.number().int().min(1).optional(),
  /** Number of independent samples: all deliveries of a broadcast count once. Left out if each counts. */
  independent: z.number().int().min(0).optional(),
  min: figure,
  p50: figure,
  p90: figure,
  p95: figure,
  p99: figure,
  p999: figure,
  max: figure,
  mean: figure,
  /** By percentile, over broadcasts or slices of time. Empty without enough of them. */
  intervals: z.record(z.string(), interval),
});

export const verdict = z.strictObject({
  rig: z.enum(['clean', 'limited', 'void']),
  evidence: z.array(z.strictObject({ rule: outside, level: z.enum(['limited', 'void']), text: outsideSentence })),
  /** Figures that the rig may have raised, or a whole metric (null). The truth is from `leastUs` to each. */
  bounds: z
    .array(
      z.strictObject({
        metric: outside,
        figure: z.enum(thresholdFigures).nullable(),
        leastUs: z.number(),
        text: outsideSentence,
        /** Results of older versions name none. */
        rule: outside.optional(),
      }),
    )
    .optional(),
});

export type Verdict = z.output<typeof verdict>;

/** Describes a shard in a result: its measurements, or why there are none. */
export const shardPart = z.strictObject({
  url: outsideSentence,
  state: z.enum(['complete', 'partial', 'lost']),
  why: outsideSentence,
  fault: z.literal('samplesDamaged').optional(),
  result: shardResult.nullable(),
  /** The last live figures of a lost shard, on the axis of the observations. */
  lastSeen: z
    .strictObject({ atMs: z.number(), stage: z.string(), progress: z.record(z.string(), z.number()) })
    .optional(),
  /** Periods without an answer of the shard, on the same axis. */
  silences: z.array(z.strictObject({ fromMs: z.number(), toMs: z.number() })).optional(),
});

export type ShardPart = z.output<typeof shardPart>;

export const rigLoad = z.strictObject({
  client: z.string(),
  /** Engine of wire clients. Older calibrations name none. */
  engine: z.string().optional(),
  protocol: z.string(),
  clients: z.number().int(),
  ratePerSecond: z.number(),
  payloadBytes: z.number().int(),
  workers: z.number().int(),
  shards: z.number().int(),
});

export type RigLoad = z.output<typeof rigLoad>;

/** Compares a run with the calibration of its machine. */
export const trust = z.strictObject({
  place: z.enum(['inside', 'beyond', 'untried', 'uncalibrated']),
  /** The error of the p99 at the calibrated load, in microseconds. */
  p99ErrorUs: figure,
  /** Older results name no protocol and no payload. */
  load: rigLoad.partial({ protocol: true, payloadBytes: true }).nullable(),
  calibratedAt: z.iso.datetime().nullable(),
  otherEngine: z.string().optional(),
});

export type Trust = z.output<typeof trust>;

/** Memory of the target over its open connections during the ramp: slope and standard error. */
export const footprint = z.strictObject({
  bytesPerConnection: z.number(),
  errorBytes: z.number(),
  points: z.number().int(),
});

/** Describes a stage from its first begin to its last end on any shard, on the axis of the observations. */
export const stageSpan = z.strictObject({ name: z.string(), fromMs: z.number(), toMs: z.number() });

/** Samples of sends that were due in a span. Percentiles come from bins 1.6 % wide. */
export const spanSummary = z.strictObject({
  fromMs: z.number(),
  toMs: z.number(),
  count: z.number().int().min(0),
  p50: figure,
  p99: figure,
  /** Results of older versions have none. */
  max: figure.optional(),
});

export type SpanSummary = z.output<typeof spanSummary>;

/** Describes how another driver took over a run, and what it could not see or do. */
export const attached = z.strictObject({
  /** On the axis of the observations. */
  atMs: z.number().min(0),
  at: z.iso.datetime(),
  by: outside,
  /** The driver before it, and how long it had been silent. 0 if it left. */
  from: outside,
  silentMs: z.number().min(0),
  lacks: outsideSentences,
});

export type Attached = z.output<typeof attached>;

export const runFile = 'result.json';

/** A file beside `result.json`, in that folder. It is never outside the directory of the run. */
const fileOf = (folder: 'samples' | 'blocks') =>
  z
    .string()
    .regex(
      new RegExp(`^${folder}/[\\w%-][\\w.%-]*\\.bin$`),
      `expected a file in ${folder}/ of the result, named *.bin`,
    );

/** Describes `result.json`: everything needed to believe a run, and to run it again. */
export const runResult = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  scenario: z.string(),
  target: describedTarget,
  job: z.strictObject({
    options: z.record(z.string(), z.unknown()),
    load: z.record(z.string(), z.unknown()),
    shards: z.number().int().min(1),
    seed: z.number().int(),
    runId: z.string(),
    stream: z.string(),
    /** The figure whose interval could end the run. Its intervals allow for all checks at it. */
    until: outsideSentence.optional(),
  }),
  /** Source of each value: flag, environment, file or default. */
  sources: z.record(z.string(), z.string()),
  shape: z.record(z.string(), z.unknown()),
  fingerprint: z.string(),
  startedAt: z.iso.datetime(),
  shards: z.array(shardPart),
  ledger: ledgerEntries,
  metrics: z.record(z.string(), metricSummary),
  thresholds: z.array(
    z.strictObject({
      text: outsideSentence,
      kind: z.enum(['figure', 'series', 'count', 'share']),
      value: figure,
      isKept: z.boolean(),
      /** Set if it is undecided: the truth lies between this and the value, and only one of them meets it. */
      undecidedFromUs: z.number().optional(),
    }),
  ),
  verdict,
  stop: z.strictObject({
    code: z.enum(stopCodes),
    evidence: outsideSentences,
    advice: outsideSentence.optional(),
    /** Duration of a run that its user ended, since its jobs were posted. */
    afterMs: z.number().min(0).optional(),
  }),
  environment: z.strictObject({
    driver: machine,
    plannedMs: z.number(),
    /** Time since the jobs were posted. The start of the target does not count. */
    elapsedMs: z.number(),
    offeredPerSecond: figure,
    achievedPerSecond: figure,
    /** Start of the load on the axis of the observations. Second N of the timeline starts N seconds later. */
    loadAtMs: z.number().min(0),
    stages: z.array(stageSpan),
    /** Events per second since the start of the load, all shards together. */
    timeline: timelines,
    /** Observations of the target's processes. Their axis starts with the first reading, before the load. */
    observations: z.array(seriesSchema),
    gauges: z.array(gaugeSeries),
    /** By metric, about a second of the schedule each, in order. Counts add up to the metric’s. */
    overTime: z.record(z.string(), z.array(spanSummary)),
    /** Null if memory or connections were not seen. */
    footprint: footprint.nullable(),
    /** Null if the run delivers nothing at a known rate. */
    trust: trust.nullable(),
    attached: attached.optional(),
  }),
  samples: z.record(
    z.string(),
    z.strictObject({ file: fileOf('samples'), kind: z.enum(['raw', 'histogram']), count: z.number() }),
  ),
  /** Samples of a metric by broadcast or slice of time, and the number of blocks. Older results have none. */
  blocks: z.record(z.string(), z.strictObject({ file: fileOf('blocks'), count: z.number().int().min(1) })).optional(),
  /** Clients that did not come up, and messages that no rule knows. Left out if there are none. */
  talk: talkOf(outsideSentence).optional(),
  /** Set if answers do not name their sends. Each then counts for the oldest send of its client. */
  isPairedInOrder: z.literal(true).optional(),
  /** Files of the user that the clients ran. Left out for a scenario without any. */
  modules: z.array(describedModule).optional(),
});

export type RunResult = z.output<typeof runResult>;

/** Returns `yes` if a run meets a threshold. Open if the rig's part of a figure decides. */
export function holdsOf({ isKept, undecidedFromUs }: RunResult['thresholds'][number]): Holds {
  if (undecidedFromUs !== undefined) return 'open';
  return isKept ? 'yes' : 'no';
}

/** Returns true if a run went to its planned end, or a capacity run found its limit. */
export function isPlannedEnd(code: StopCode, { isCapacity }: Pick<Declaration, 'isCapacity'>): boolean {
  const reason: { isComplete: boolean; isFinding?: boolean } = stopReasons[code];
  return reason.isComplete || (isCapacity === true && reason.isFinding === true);
}

/** Returns the share of the load's time in which the link of a shard stood still, on average over all shards. */
export function stalledShareOf(shards: readonly ShardPart[]): number {
  const all = shards.flatMap(({ result }) => result?.rig.shard.tcp ?? []);
  return all.reduce((sum, { stalledShare = 0 }) => sum + stalledShare / all.length, 0);
}

/** Returns TCP counts of all shards together. Undefined if no shard counted. */
export function tcpOf(shards: readonly ShardPart[]): TcpCounts | undefined {
  const all = shards.flatMap(({ result }) => result?.rig.shard.tcp ?? []);
  return all.length > 0 ? tcpTogether(all) : undefined;
}

/** Counts the runs of each verdict. */
export const verdictCounts = z.strictObject({
  clean: z.number().int(),
  limited: z.number().int(),
  void: z.number().int(),
});
