import { z } from 'zod';
import { talkSteps, withFewCauses } from '../measure/causes.js';
import { tcpNames } from '../measure/tcp.js';
import { webSocketUrl } from '../units/addresses.js';
import { outsideRecord } from '../units/text.js';
import { duration } from '../units/unit.js';
import { engineOffer, engineUse } from './engine.js';
import { ourMetric, ourName, outside, outsideSentence, outsideSentences, outsideVersions } from './problems.js';
import { stopCodes } from './stop-reasons.js';

const count = z.number().int().min(0);
const fraction = z.number().min(0);
const counts = z.record(ourName, z.number());

/** Describes one event loop of the rig while a load was on it. */
const loopSelf = z.strictObject({
  windowMs: z.number().min(0),
  /** Delay of a timer of this loop, ticks that a stall swallowed included. Up to 100 ticks, it is the second worst. */
  loopDelayP99Ms: z.number().min(0),
  loopDelayMaxMs: z.number().min(0),
  /** Share of the window in which the loop was not idle. */
  utilization: fraction,
  /** CPU of this thread, and its waits for a core. Null if the kernel does not provide them. */
  cpuMs: z.number().min(0).nullable(),
  runQueueWaitMs: z.number().min(0).nullable(),
  gcCount: count,
  gcTotalMs: z.number().min(0),
  gcMaxMs: z.number().min(0),
});

export type LoopSelf = z.output<typeof loopSelf>;

/** Describes what the code of flows took of a worker while its clients lived. */
const userCode = z.strictObject({
  windowMs: z.number().min(0),
  ranMs: z.number().min(0),
  /** How long native threads waited for the loop, each on average. */
  heldUpMs: z.number().min(0),
});

export type UserCode = z.output<typeof userCode>;

/** Describes a worker's loop over the measured stages, and over the ramp if it has clients. */
const workerSelf = loopSelf.extend({
  role: z.enum(['audience', 'publisher']),
  index: count,
  ramp: loopSelf.optional(),
  userCode: userCode.optional(),
});

export type WorkerSelf = z.output<typeof workerSelf>;

/** Holds counts of all TCP sockets in a network namespace while a load was on it (`measure/tcp.ts`). */
const namespaceTcp = z.strictObject({
  namespace: z.string(),
  counts: z.record(z.enum(tcpNames), count),
  /** Share of the window in which nothing arrived while timers ran out. Left out if there was no such time. */
  stalledShare: fraction.optional(),
});

/** Describes a bench-runner process and its machine while a load was on it. */
const shardSelf = z.strictObject({
  cpuMs: z.number().min(0),
  rssPeakBytes: count,
  /** Busy share of each core of the machine, of the time that was not stolen. Empty if unknown. */
  coreBusy: z.array(fraction),
  /** Share of the time of all cores that the hypervisor took. Left out if unknown. */
  stolenShare: fraction.optional(),
  descriptorsUsed: count.nullable(),
  descriptorLimit: count.nullable(),
  timeWait: count.nullable(),
  /** Counts of its network namespace over the measured stages. Left out if unknown. */
  tcp: namespaceTcp.optional(),
  /** Steps per microsecond of a fixed loop on one core, before and after the load (`measure/rig/cores.ts`). */
  coreSpeed: z.tuple([z.number().positive(), z.number().positive()]),
});

export type ShardSelf = z.output<typeof shardSelf>;

const jobStage = z.strictObject({ name: ourName, atMs: z.number(), durationMs: z.number().min(0) });

const onOrOff = z.enum(['on', 'off']).optional();

/** Describes a machine. What it can't read of its state is left out (`measure/rig/machine.ts`). */
export const machine = z.strictObject({
  kernel: outside,
  cpu: outside,
  cores: count,
  memoryBytes: count,
  runtime: outside,
  /** Frequency governors of its cores. */
  governor: outside.optional(),
  turbo: onOrOff,
  smt: onOrOff,
  /** Time that the deepest idle state takes to wake up, in microseconds. */
  wakeUs: count.optional(),
  virtualisation: outside.optional(),
  /** What the kernel does against each fault of the CPU. */
  mitigations: outsideVersions.optional(),
  /** Digest of the container's image. */
  image: outside.optional(),
});

/** Holds the limits of a process and the free resources of its machine. Null if the system does not provide them. */
const machineLimits = z.strictObject({
  descriptors: count.nullable(),
  descriptorsUsed: count.nullable(),
  sourcePorts: count.nullable(),
  /** Includes ports in TIME_WAIT. Endpoints read `10.0.0.7 10.0.0.9 443`. Small counts are left out. */
  portsTaken: z
    .strictObject({ byAddress: z.record(z.string(), count), byEndpoint: z.record(z.string(), count) })
    .nullable(),
  /** Connections that the kernel tracks in its network namespace, and their maximum. Null if it tracks none. */
  connectionTracking: z.strictObject({ tracked: count, most: count }).nullable(),
  /** Memory that the control group and the machine leave to the process. */
  memoryAvailableBytes: count.nullable(),
  machineMemoryAvailableBytes: count.nullable(),
});

export type MachineLimits = z.output<typeof machineLimits>;

/** Describes `GET /info`: the shard that answers, and its capacity. Unknown limits are null. */
export const shardInfo = z.strictObject({
  contract: count,
  version: outside,
  bootId: outside,
  clockId: outside,
  machine,
  engine: engineOffer,
  limits: z.strictObject({
    clients: count,
    publishesPerSecond: z.number().min(0),
    payloadBytes: count,
    durationMs: count,
    bodyBytes: count,
    ...machineLimits.shape,
  }),
  allowTargets: z.array(outside),
  allowsModules: z.boolean(),
});

export type ShardInfo = z.output<typeof shardInfo>;

const clockReading = z.strictObject({
  /** Since 1970. */
  wallMs: z.number().min(0),
  /** Since the start of the process. */
  monotonicMs: z.number().min(0),
});

export type ClockReading = z.output<typeof clockReading>;

/** Describes `GET /now`: the clocks of a bench-runner, and the run that holds it. */
export const shardNow = clockReading.extend({
  holder: z.strictObject({ runId: outside, driver: outside, heldMs: z.number().min(0) }).nullable(),
});

export type ShardNow = z.output<typeof shardNow>;
export type ShardHolder = NonNullable<ShardNow['holder']>;

/** Says who holds a shard: `run 5eed0007 of ada@laptop/7919, for 97s`. */
export function holderInWords({ runId, driver, heldMs }: ShardHolder): string {
  const since = duration.print(Math.round(heldMs / 1000) * 1000);
  return `run ${runId} of ${driver}, for ${since}`;
}

/** Describes what clients sent and received. `step` checks the last step of a client. */
export const talkOf = <S extends z.ZodType>(step: S) =>
  z.strictObject({
    examples: z
      .record(z.string(), z.strictObject({ step, sent: outside.optional(), received: outside.optional() }))
      .overwrite((examples) => outsideRecord(examples, (example) => example)),
    others: count,
    firstOther: outside.optional(),
  });

/** Holds the measurements of one shard. `GET /jobs/:id/samples/:name` returns the samples themselves. */
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
    samples: z.record(ourMetric, z.strictObject({ kind: z.enum(['raw', 'histogram']), count })),
    series: z.array(ourName),
    /** SHA-256 of each body of samples and series. Results of older versions have none. */
    digests: z.record(ourMetric, z.string().regex(/^[0-9a-f]{64}$/)).optional(),
    timeline: z.record(z.string(), z.array(z.number())),
    /** The longest of all workers, in milliseconds. Results of older versions have none. */
    longestMs: z.record(ourName, z.number().min(0)).default({}),
    stages: z.array(jobStage),
    rig: z.strictObject({
      shard: shardSelf,
      workers: z.array(workerSelf),
      /** Engines of wire clients, by name. Results of older versions have none. */
      engines: z.array(engineUse).optional(),
    }),
    stop: z.strictObject({ code: z.enum(stopCodes), evidence: outsideSentences }),
    /** Left out if no client failed and no unknown message arrived. */
    talk: talkOf(z.enum(talkSteps)).optional(),
  })
  .overwrite((result) => ({ ...result, ...withFewCauses(result) }));

export type ShardResult = z.output<typeof shardResult>;

const shardSecond = z.strictObject({
  /** When the workers reported their figures, in milliseconds since the job's start. */
  atMs: z.number().min(0),
  progress: counts,
  rig: z.strictObject({
    /** Worst delay of a timer in this second, over all workers' loops. */
    loopDelayMs: z.number().min(0),
    cpuCores: z.number().min(0),
    rssBytes: count.nullable(),
    stolenShare: fraction.optional(),
  }),
  /** Changed bins of the headline's first metric, each followed by its count (`measure/samples/blocks.ts`). */
  bins: z.array(count).optional(),
});

export type ShardSecond = z.output<typeof shardSecond>;

/** Describes `GET /jobs/:id`. `waitingFor` names the closed gate at which the job waits. */
export const jobStatus = z.strictObject({
  jobId: outside,
  runId: outside,
  bootId: outside,
  state: z.enum(['running', 'done']),
  stage: ourName,
  waitingFor: ourName.nullable(),
  progress: counts,
  /** Stages that have begun on all workers. `durationMs` is null while one goes on. */
  stages: z.array(jobStage.extend({ durationMs: jobStage.shape.durationMs.nullable() })),
  /** The last seconds, oldest first. They cover more than the time for which a driver may be silent. */
  seconds: z.array(shardSecond),
  log: z.array(outsideSentence),
  elapsedMs: z.number().min(0),
  result: shardResult.nullable(),
});

export type JobStatus = z.output<typeof jobStatus>;

/** Describes the query of `GET /jobs/:id` and `/now`. The answer waits for news, at most this long. */
export const statusQuery = z.strictObject({ waitMs: z.coerce.number().int().min(0).max(10_000).default(0) });

/** Describes the body of `POST /jobs/:id/gates/:name`. With `isLast`, no further round begins. */
export const gateBody = z.strictObject({
  delayMs: z.number().int().min(0).max(60_000).default(0),
  isLast: z.boolean().default(false),
});

export type GateBody = z.output<typeof gateBody>;

/**
 * Describes the query of `PUT /jobs/:id/sends`, which brings the sends of another shard: what to add to their stamps.
 * Left out if both shards have one clock.
 */
export const sendsQuery = z.strictObject({
  shiftMs: z.coerce.number().optional(),
  errorMs: z.coerce.number().min(0).optional(),
});

export type SendsQuery = z.output<typeof sendsQuery>;

/**
 * Describes the answer to `POST /metronome`: the target of known behaviour that the bench-runner started on its own
 * loopback for a drill, and the CPU quota of its container.
 */
export const ownMetronome = z.strictObject({
  wsUrl: webSocketUrl,
  publishUrl: z.url({ protocol: /^http$/ }),
  quotaCores: z.number().positive().nullable(),
});

export type OwnMetronome = z.output<typeof ownMetronome>;

/** Lifetime of a metronome that no request ends. */
export const metronomeLivesMs = 60_000;

/** Describes the body of every answer that refuses, with all problems at once. */
export const refusal = z.strictObject({
  problems: z.array(z.strictObject({ code: outside, message: outsideSentence, hint: outsideSentence })),
});

/** Header in every answer of a bench-runner. It names the answering process. */
export const bootIdHeader = 'ringside-boot-id';
