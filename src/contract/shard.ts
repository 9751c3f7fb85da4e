import { z } from 'zod';
import { withFewCauses } from '../measure/causes.js';
import { tcpNames } from '../measure/tcp.js';
import { ourName, outside, outsideSentence, outsideSentences } from './outside.js';
import { stopCodes } from './stop-reasons.js';

const count = z.number().int().min(0);
const fraction = z.number().min(0);
const counts = z.record(ourName, z.number());

/** What one event loop of the rig says of itself while a load was on it. */
const loopSelf = z.strictObject({
  windowMs: z.number().min(0),
  /** How much later than asked a timer of this loop ran, in milliseconds; ticks that a stall kept from coming count. Of a hundred ticks or fewer the second worst is the p99. */
  loopDelayP99Ms: z.number().min(0),
  loopDelayMaxMs: z.number().min(0),
  /** Share of the window in which the loop was not idle. */
  utilization: fraction,
  /** CPU of this thread, and how long it was ready to run but had no core; null where the kernel does not tell. */
  cpuMs: z.number().min(0).nullable(),
  runQueueWaitMs: z.number().min(0).nullable(),
  gcCount: count,
  gcTotalMs: z.number().min(0),
  gcMaxMs: z.number().min(0),
});

export type LoopSelf = z.output<typeof loopSelf>;

/** What a worker says of its loop over the measured stages, and over the ramp where it has clients; results of older versions know of no ramp. */
export const workerSelf = loopSelf.extend({
  role: z.enum(['audience', 'publisher']),
  index: count,
  ramp: loopSelf.optional(),
});

export type WorkerSelf = z.output<typeof workerSelf>;

/** What TCP did in a network namespace while a load was on it: counts of all its sockets, ours among them (`measure/tcp.ts`). */
export const namespaceTcp = z.strictObject({ namespace: z.string(), counts: z.record(z.enum(tcpNames), count) });

/** What a bench-runner process says of itself and its machine while a load was on it. */
export const shardSelf = z.strictObject({
  cpuMs: z.number().min(0),
  rssPeakBytes: count,
  /** Busy share of each core of the machine, whoever used it; empty where the kernel does not tell. */
  coreBusy: z.array(fraction),
  descriptorsUsed: count.nullable(),
  descriptorLimit: count.nullable(),
  /** TCP sockets of the machine in TIME_WAIT. */
  timeWait: count.nullable(),
  /** Of its network namespace over the measured stages; left out where the system does not tell, and in results of older versions. */
  tcp: namespaceTcp.optional(),
  /** Steps of a fixed loop per microsecond that a core of the machine made right before the load, and right after it (`measure/rig/core-speed.ts`). */
  coreSpeed: z.tuple([z.number().positive(), z.number().positive()]),
});

export type ShardSelf = z.output<typeof shardSelf>;

/** A stage of a job: when it begins, since the job's start, and how long it took. */
const jobStage = z.strictObject({ name: ourName, atMs: z.number(), durationMs: z.number().min(0) });

/** The machine under a bench-runner. */
export const machine = z.strictObject({
  kernel: outside,
  cpu: outside,
  cores: count,
  memoryBytes: count,
  runtime: outside,
});

/** `GET /info`: who answers and what it can carry. Limits null where the system does not tell. */
export const shardInfo = z.strictObject({
  contract: count,
  version: outside,
  bootId: outside,
  clockId: outside,
  machine,
  limits: z.strictObject({
    clients: count,
    publishesPerSecond: z.number().min(0),
    payloadBytes: count,
    durationMs: count,
    bodyBytes: count,
    descriptors: count.nullable(),
    descriptorsUsed: count.nullable(),
    /** Of one source address towards one endpoint. */
    sourcePorts: count.nullable(),
    /**
     * How many of them are in use or in TIME_WAIT: of each source address, towards whatever endpoint, and of the sockets of a source address to one
     * endpoint (`10.0.0.7 10.0.0.9 443`). Who has few is left out.
     */
    portsTaken: z
      .strictObject({ byAddress: z.record(z.string(), count), byEndpoint: z.record(z.string(), count) })
      .nullable(),
  }),
  allowTargets: z.array(outside),
});

export type ShardInfo = z.output<typeof shardInfo>;

/** What one shard measured. Sample bodies stay behind `GET /jobs/:id/samples/:name`; their names and counts are here. */
export const shardResult = z
  .strictObject({
    slice: z.strictObject({ index: count, of: count }),
    bootId: outside,
    clockId: outside,
    version: outside,
    machine,
    workers: count,
    counts,
    causes: z.record(z.string(), z.record(z.string(), z.number())),
    samples: z.record(ourName, z.strictObject({ kind: z.enum(['raw', 'histogram']), count })),
    series: z.array(ourName),
    /** Events per second since the job's start. */
    timeline: z.record(z.string(), z.array(z.number())),
    /** The longest of all workers, in milliseconds; results of older versions know of none. */
    longestMs: z.record(ourName, z.number().min(0)).default({}),
    stages: z.array(jobStage),
    rig: z.strictObject({ shard: shardSelf, workers: z.array(workerSelf) }),
    stop: z.strictObject({ code: z.enum(stopCodes), evidence: outsideSentences }),
  })
  .overwrite((result) => ({ ...result, ...withFewCauses(result) }));

export type ShardResult = z.output<typeof shardResult>;

/** One second of a shard's course. */
export const shardSecond = z.strictObject({
  /** When the workers told their figures, in milliseconds since the job's start. */
  atMs: z.number().min(0),
  progress: counts,
  rig: z.strictObject({
    /** How much later than asked a timer of any worker's loop ran, at the worst in this second. */
    loopDelayMs: z.number().min(0),
    /** CPU seconds per second of the process. */
    cpuCores: z.number().min(0),
    rssBytes: count.nullable(),
  }),
  /**
   * Of the last second alone: samples of the headline's first metric since the job's start, as they came, each bin followed by its count
   * (`measure/samples/bins.ts`). Empty where the scenario has no course of that metric.
   */
  bins: z.array(count).optional(),
});

export type ShardSecond = z.output<typeof shardSecond>;

/** `GET /jobs/:id`. `waitingFor` names the closed gate that the job stands at. */
export const jobStatus = z.strictObject({
  jobId: outside,
  runId: outside,
  bootId: outside,
  state: z.enum(['running', 'done']),
  stage: ourName,
  waitingFor: ourName.nullable(),
  progress: counts,
  /** Those that have begun, and one whose beginning is known; `durationMs` is null of one that is not over. */
  stages: z.array(jobStage.extend({ durationMs: jobStage.shape.durationMs.nullable() })),
  /** The last seconds, oldest first: more than a driver may be silent for without being missed. */
  seconds: z.array(shardSecond),
  log: z.array(outsideSentence),
  elapsedMs: z.number().min(0),
  result: shardResult.nullable(),
});

export type JobStatus = z.output<typeof jobStatus>;

/**
 * The query of `GET /jobs/:id`: the answer waits until the job is done or stands at a gate, at most for this time.
 * Older bench-runners ignore it and answer at once.
 */
export const statusQuery = z.strictObject({ waitMs: z.coerce.number().int().min(0).max(10_000).default(0) });

/**
 * The body of `POST /jobs/:id/gates/:name`: the stage behind the gate starts this long after the request arrived or, where `isLast`, neither it nor
 * any other of a round does.
 */
export const gateBody = z.strictObject({
  delayMs: z.number().int().min(0).max(60_000).default(0),
  isLast: z.boolean().default(false),
});

/** The body of every answer that refuses: all problems at once. */
export const refusal = z.strictObject({
  problems: z.array(z.strictObject({ code: outside, message: outsideSentence, hint: outsideSentence })),
});

/** The header in which every answer of a bench-runner names the process that gives it. */
export const bootIdHeader = 'ringside-boot-id';
