import { z } from 'zod';
import { engineOffer } from '../../contract/engine.js';
import { outside, outsideSentence } from '../../contract/problems.js';
import { machine, shardInfo } from '../../contract/shard.js';
import { resultVersion, tool } from '../../results/result.js';
import { findingCodes, limitNames } from './finding-table.js';

const count = z.number().int().min(0);
const ms = z.number().min(0);
const fraction = z.number().min(0);

/** Says why there is no figure. */
const without = { isMeasured: z.literal(false), why: outsideSentence };

/** Deliveries over the shard's own loopback, in several tries, of which the worst counts. */
const loop = z.discriminatedUnion('isMeasured', [
  z.strictObject({
    isMeasured: z.literal(true),
    expected: count,
    delivered: count,
    /** CPU of a delivery in microseconds: of the busiest thread, and of all threads that take deliveries. */
    cpuUs: z.strictObject({ busiest: z.number().positive(), all: z.number().positive() }),
    /** CPU of the busiest thread in each try. */
    triesUs: z.array(z.number().positive()).min(1),
    /** Cores that the rest of the process used. */
    coresBeside: z.number().min(0),
    /** The share of the time in which a thread that was ready to run had a core. */
    coreShare: z.number().min(0).max(1),
    loops: count,
    /** Deliveries per second that one event loop can take. */
    perSecondOfLoop: z.number().min(0),
    /** Cores that it can use, of its machine or its quota. */
    freeCores: z.number().min(0),
    perSecond: z.number().min(0),
  }),
  /** `isAllowed` is false if the shard does not allow the measurement. */
  z.strictObject({ ...without, isAllowed: z.boolean() }),
]);

/** Deliveries of the target, and the TCP losses meanwhile. */
const path = z.discriminatedUnion('isMeasured', [
  z.strictObject({
    isMeasured: z.literal(true),
    /** Largest share of deliveries that lost segments can have delayed; null where the system does not report them. */
    lateShare: fraction.nullable(),
    /** Segments that were lost or came out of order, of all segments. */
    lost: count.nullable(),
    segments: count.nullable(),
    /** The losses in words, by cause; empty if nothing was lost. */
    tcp: z.string(),
  }),
  z.strictObject(without),
]);

const clock = z.strictObject({
  /** Offset of its wall clock to the driver's. */
  offsetMs: z.number(),
  uncertaintyMs: ms,
  /** Drift of its monotonic clock against the driver's; null after too short a time. */
  drift: z.strictObject({ ppm: z.number(), uncertaintyPpm: z.number().min(0), overMs: ms }).nullable(),
  /** Jumps of its wall clock during the drill. */
  stepsMs: z.array(z.number()),
});

export const shardDrill = z.strictObject({
  url: z.string(),
  /** Reason why the shard was lost in the drill; left out if it was not. */
  lost: outsideSentence.optional(),
  version: outside,
  engine: engineOffer,
  clockId: outside,
  machine,
  /** Limits before the drill. */
  limits: shardInfo.shape.limits,
  /** Null if the shard was lost before. */
  clock: clock.nullable(),
  roundTrip: z.strictObject({ medianMs: ms, worstMs: ms, asked: count }).nullable(),
  /**
   * Bytes from the shard to the driver, while all shards send at once. `lost` counts the lost ones of `segments` data
   * segments.
   */
  link: z.strictObject({
    bytes: count,
    bytesPerSecond: z.number().min(0),
    lost: count.nullable(),
    segments: count.nullable(),
  }),
  cpu: z.strictObject({
    cores: count,
    quotaCores: z.number().positive().nullable(),
    /** Cores that all other programs of its machine used while the drill only read clocks. */
    othersCores: z.number().min(0).nullable(),
    /** Shares of the time of the drill; null where the system does not report them. */
    stolenShare: fraction.nullable(),
    throttledShare: fraction.nullable(),
    coreWaitShare: fraction.nullable(),
  }),
  loop,
  /** Null without a target, or if another shard kept the drill from trying it. */
  path: path.nullable(),
});

export type ShardDrill = z.output<typeof shardDrill>;

/** Names what limits a load, and on which shard. */
const limit = z.strictObject({ by: z.enum(limitNames), url: z.string(), text: z.string(), fix: z.string() });

export const drillFinding = z.strictObject({
  code: z.enum(findingCodes),
  /** Shards of the finding; empty for the whole fleet. */
  urls: z.array(z.string()),
  text: z.string(),
  fix: z.string(),
});

export type DrillFinding = z.output<typeof drillFinding>;

/** `drill --json`: describes a fleet and the load that it can carry. */
export const drillResult = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  startedAt: z.iso.datetime(),
  elapsedMs: ms,
  /** True if no finding keeps a run from using the whole fleet. */
  isReady: z.boolean(),
  /** The engine that the drill asked for. */
  engine: z.string(),
  carries: z.strictObject({
    /** Null where nothing limits them. */
    clients: count.nullable(),
    clientsLimit: limit.nullable(),
    /** Null unless every shard measured them. */
    deliveriesPerSecond: count.nullable(),
    deliveriesLimit: limit.nullable(),
  }),
  /** URLs of shards that could not take part. The findings say why. */
  absent: z.array(z.string()),
  shards: z.array(shardDrill),
  findings: z.array(drillFinding),
});

export type DrillResult = z.output<typeof drillResult>;
