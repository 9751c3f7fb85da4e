import { z } from 'zod';
import { engineOffer } from '../../contract/engine.js';
import { outside, outsideSentence } from '../../contract/outside.js';
import { machine, shardInfo } from '../../contract/shard.js';
import { resultVersion, tool } from '../../results/result.js';
import { findingCodes, limitNames } from './finding-table.js';

const count = z.number().int().min(0);
const ms = z.number().min(0);
const fraction = z.number().min(0);

/** Why there is no figure. */
const without = { isMeasured: z.literal(false), why: outsideSentence };

/** Deliveries over the shard's own loopback. `cpuUs`: of the busiest thread and of all threads, for each delivery. */
const loop = z.discriminatedUnion('isMeasured', [
  z.strictObject({
    isMeasured: z.literal(true),
    expected: count,
    delivered: count,
    cpuUs: z.strictObject({ busiest: z.number().positive(), all: z.number().positive() }),
    /** What one event loop can take. */
    perSecondOfLoop: z.number().min(0),
    loops: count,
    perSecond: z.number().min(0),
  }),
  /** It may be that the shard does not allow it. */
  z.strictObject({ ...without, isAllowed: z.boolean() }),
]);

/** Deliveries of the target, and what TCP lost meanwhile. */
const path = z.discriminatedUnion('isMeasured', [
  z.strictObject({
    isMeasured: z.literal(true),
    lostShare: fraction.nullable(),
    tcp: z.string(),
  }),
  z.strictObject(without),
]);

const clock = z.strictObject({
  /** Of its wall clock to the driver's. */
  offsetMs: z.number(),
  uncertaintyMs: ms,
  /** Of its monotonic clock against the driver's; null after too short a time. */
  drift: z.strictObject({ ppm: z.number(), uncertaintyPpm: z.number().min(0), overMs: ms }).nullable(),
  /** Jumps of its wall clock during the drill. */
  stepsMs: z.array(z.number()),
});

export const shardDrill = z.strictObject({
  url: z.string(),
  /** Why the shard was lost in the drill; left out if it was not. */
  lost: outsideSentence.optional(),
  version: outside,
  engine: engineOffer,
  clockId: outside,
  machine,
  /** As they were before the drill. */
  limits: shardInfo.shape.limits,
  /** Null if the shard was lost before. */
  clock: clock.nullable(),
  roundTrip: z.strictObject({ medianMs: ms, worstMs: ms, asked: count }).nullable(),
  /** From the shard to the driver, while all shards send at once; `lost` of `segments` data segments. */
  link: z.strictObject({
    bytes: count,
    bytesPerSecond: z.number().min(0),
    lost: count.nullable(),
    segments: count.nullable(),
  }),
  cpu: z.strictObject({
    cores: count,
    quotaCores: z.number().positive().nullable(),
    /** Shares of the time of the drill; null where the system does not say. */
    stolenShare: fraction.nullable(),
    throttledShare: fraction.nullable(),
    coreWaitShare: fraction.nullable(),
  }),
  loop,
  /** Null without a target. */
  path: path.nullable(),
});

export type ShardDrill = z.output<typeof shardDrill>;

/** What limits a load, and on which shard. */
const limit = z.strictObject({ by: z.enum(limitNames), url: z.string(), text: z.string(), fix: z.string() });

export const finding = z.strictObject({
  code: z.enum(findingCodes),
  /** Where; empty for the whole fleet. */
  urls: z.array(z.string()),
  text: z.string(),
  fix: z.string(),
});

export type Finding = z.output<typeof finding>;

/** `drill --json`: what a fleet is and what load it can carry. */
export const drillResult = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  startedAt: z.iso.datetime(),
  elapsedMs: ms,
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
  shards: z.array(shardDrill),
  findings: z.array(finding),
});

export type DrillResult = z.output<typeof drillResult>;
