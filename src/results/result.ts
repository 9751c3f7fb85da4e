import { z } from 'zod';
import type { Scenario } from '../contract/catalog.js';
import {
  ledgerEntries,
  outside,
  outsideSentence,
  outsideSentences,
  outsideSettings,
  outsideVersions,
  timelines,
} from '../contract/outside.js';
import { machine, shardResult } from '../contract/shard.js';
import { type StopCode, stopCodes, stopReasons } from '../contract/stop-reasons.js';
import { toolName } from '../contract/version.js';
import { seriesSchema } from '../measure/series.js';
import { type TcpCounts, tcpTogether } from '../measure/tcp.js';
import { thresholdFigures } from '../measure/threshold.js';
import { gaugeSeries } from './series.js';

/** Changes whenever a reader of kept results would have to know. */
export const resultVersion = 1;

/** What wrote a kept file. */
export const tool = z.strictObject({ name: z.literal(toolName), version: outside });

const figure = z.number().nullable();

/** Both ends of a 95 % interval, in the unit of the figure that it belongs to. */
export const interval = z.tuple([z.number(), z.number()]);

/** One merged distribution; a percentile that its count can't carry is null. */
export const metricSummary = z.strictObject({
  unit: z.string(),
  count: z.number().int().min(0),
  /** Those beside the count that took longer than the run looked on: figures are of all, and one that falls on these is null. */
  unfinished: z.number().int().min(1).optional(),
  min: figure,
  p50: figure,
  p90: figure,
  p95: figure,
  p99: figure,
  p999: figure,
  max: figure,
  mean: figure,
  /** By percentile, drawn over broadcasts, or over slices of time where clients send; empty where there are too few of them, or samples belong to none. */
  intervals: z.record(z.string(), interval),
});

/** The rig's judgement of its own numbers. */
export const verdict = z.strictObject({
  rig: z.enum(['clean', 'limited', 'void']),
  evidence: z.array(z.strictObject({ rule: outside, level: z.enum(['limited', 'void']), text: outsideSentence })),
  /** Single figures that the rig may have written, or all of a metric (null): the truth lies between `leastUs` and each. Only where there are any. */
  doubts: z
    .array(
      z.strictObject({
        metric: outside,
        figure: z.enum(thresholdFigures).nullable(),
        leastUs: z.number(),
        text: outsideSentence,
      }),
    )
    .optional(),
});

export type Verdict = z.output<typeof verdict>;

/** A shard's part in a result: what it returned, or why there is nothing from it. */
export const shardPart = z.strictObject({
  url: outsideSentence,
  state: z.enum(['complete', 'partial', 'lost']),
  /** Why the part is not complete; empty otherwise. */
  why: outsideSentence,
  result: shardResult.nullable(),
  /** Of a lost shard: what it told last of its live figures, and when, on the axis of the observations. */
  lastSeen: z
    .strictObject({ atMs: z.number(), stage: z.string(), progress: z.record(z.string(), z.number()) })
    .optional(),
  /** When the driver had no answer of the shard for some seconds, on the same axis; only where there was such a time. */
  silences: z.array(z.strictObject({ fromMs: z.number(), toMs: z.number() })).optional(),
});

export type ShardPart = z.output<typeof shardPart>;

/** How hard a machine's rig is loaded. */
export const rigLoad = z.strictObject({
  client: z.string(),
  protocol: z.string(),
  subscribers: z.number().int(),
  ratePerSecond: z.number(),
  payloadBytes: z.number().int(),
  /** Event loops a shard. */
  workers: z.number().int(),
  shards: z.number().int(),
});

export type RigLoad = z.output<typeof rigLoad>;

/** Where a run's load lies against what `calibrate` found of the machine that made it. */
export const trust = z.strictObject({
  place: z.enum(['inside', 'beyond', 'untried', 'uncalibrated']),
  /** How far off the p99 was, in microseconds, at the calibrated load that says so; null where none does. */
  p99ErrorUs: figure,
  /** Results of versions that held no protocol and no payload against it name none. */
  load: rigLoad.partial({ protocol: true, payloadBytes: true }).nullable(),
  calibratedAt: z.iso.datetime().nullable(),
});

export type Trust = z.output<typeof trust>;

/** The slope of the target's memory over its open connections during the ramp, with its standard error. */
export const footprint = z.strictObject({
  bytesPerConnection: z.number(),
  errorBytes: z.number(),
  points: z.number().int(),
});

/** A stage as all shards went through it: from the first that began it to the last that ended it, on the axis of the observations. */
export const stageSpan = z.strictObject({ name: z.string(), fromMs: z.number(), toMs: z.number() });

/** A metric's samples of the sends that were intended within a span of time, on the axis of the observations; percentiles as in `metricSummary`, 1.6 % wide. */
export const spanSummary = z.strictObject({
  fromMs: z.number(),
  toMs: z.number(),
  count: z.number().int().min(0),
  p50: figure,
  p99: figure,
});

export type SpanSummary = z.output<typeof spanSummary>;

/** The file of a run, in its directory. */
export const runFile = 'result.json';

/** `result.json`: everything needed to believe a run, and to run it again. */
export const runResult = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  scenario: z.string(),
  target: z.strictObject({
    name: outside,
    protocol: outside,
    client: outside,
    wsUrl: outsideSentence,
    publishUrl: outsideSentence,
    isOurs: z.boolean(),
    versions: outsideVersions,
    settings: outsideSettings,
  }),
  /** The resolved job: scenario options and load options by key. */
  job: z.strictObject({
    options: z.record(z.string(), z.unknown()),
    load: z.record(z.string(), z.unknown()),
    shards: z.number().int().min(1),
    seed: z.number().int(),
    runId: z.string(),
    stream: z.string(),
  }),
  /** Where each value of the job came from: flag, environment, file or default. */
  sources: z.record(z.string(), z.string()),
  /** What runs must share to be compared. */
  shape: z.record(z.string(), z.unknown()),
  /** Of the shape: equal for runs that may be compared. */
  fingerprint: z.string(),
  startedAt: z.iso.datetime(),
  shards: z.array(shardPart),
  ledger: ledgerEntries,
  metrics: z.record(z.string(), metricSummary),
  /** What was promised of the run, and whether it was kept; a figure that there is not keeps nothing. */
  thresholds: z.array(
    z.strictObject({
      text: outsideSentence,
      kind: z.enum(['figure', 'count', 'share']),
      value: figure,
      isKept: z.boolean(),
    }),
  ),
  verdict,
  stop: z.strictObject({ code: z.enum(stopCodes), evidence: outsideSentences, advice: outsideSentence.optional() }),
  environment: z.strictObject({
    driver: machine,
    plannedMs: z.number(),
    /** From the posting of the jobs, as planned; what the target takes to start is its own affair. */
    elapsedMs: z.number(),
    offeredPerSecond: figure,
    achievedPerSecond: figure,
    /** When the load began, on the axis of the observations: second N of the timeline begins N seconds after it. */
    loadAtMs: z.number().min(0),
    stages: z.array(stageSpan),
    /** Events per second since the start of the load, all shards together. */
    timeline: timelines,
    /** What was seen of the target's processes while the run went. Its axis begins with the first look at them, before the load. */
    observations: z.array(seriesSchema),
    /** What each shard said of itself while the run went, on the same axis (`gaugeTable`). */
    gauges: z.array(gaugeSeries),
    /** By metric, where its samples are counted by broadcast: about a second of the schedule each, in order; the counts add up to the metric's. */
    overTime: z.record(z.string(), z.array(spanSummary)),
    /** Memory of the target per connection, where both could be seen. */
    footprint: footprint.nullable(),
    /** Null for a run in which nothing is delivered at a known rate. */
    trust: trust.nullable(),
  }),
  /** Where the samples of each metric are kept, beside this file, and whether they are raw or a histogram. */
  samples: z.record(
    z.string(),
    z.strictObject({ file: z.string(), kind: z.enum(['raw', 'histogram']), count: z.number() }),
  ),
});

export type RunResult = z.output<typeof runResult>;

/** Whether a run went to its planned end, or a capacity run found its limit. */
export function isPlannedEnd(code: StopCode, { isCapacity }: Pick<Scenario, 'isCapacity'>): boolean {
  const reason: { isComplete: boolean; isFinding?: boolean } = stopReasons[code];
  return reason.isComplete || (isCapacity === true && reason.isFinding === true);
}

/** TCP counts of all shards together; undefined if no shard counted. */
export function tcpOf(shards: readonly ShardPart[]): TcpCounts | undefined {
  const all = shards.flatMap(({ result }) => result?.rig.shard.tcp ?? []);
  return all.length > 0 ? tcpTogether(all) : undefined;
}
