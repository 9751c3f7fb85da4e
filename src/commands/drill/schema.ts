import { z } from 'zod';
import { engineOffer } from '../../contract/engine.js';
import type { ExitName } from '../../contract/exit-codes.js';
import { outside, outsideSentence } from '../../contract/problems.js';
import { machine, shardInfo } from '../../contract/shard.js';
import { resultVersion, tool } from '../../results/result.js';

const count = z.number().int().min(0);
const ms = z.number().min(0);
const fraction = z.number().min(0);

/** Lists everything that a drill can find wrong, the gravest first. With `clean` the fleet is still ready. */
export const findingTable = {
  absent: { exit: 'input', fix: 'Check the address, that the bench-runner runs there, and its token.' },
  lost: {
    exit: 'shardLost',
    fix: 'Look into its log, and whether its platform ended it or another run took it; then drill again.',
  },
  versionsDiffer: { exit: 'rig', fix: 'Run the same version of ringside-bench on the driver and on every shard.' },
  deliveriesLost: { exit: 'rig', fix: 'Free its CPU and memory, and drill again: no run on it can count losses.' },
  targetMissed: { exit: 'rig', fix: 'Check the address, the protocol and the firewall between the shards and it.' },
  lossyPath: { exit: 'clean', fix: 'Put the shards into the network of the target, or replace the lossy link.' },
  clockOff: { exit: 'clean', fix: 'Start a time daemon (chrony). Latencies are right; times in its logs are not.' },
  enginesDiffer: { exit: 'clean', fix: 'Install the native engine where it is missing, or give --engine js to all.' },
  loopUnmeasured: { exit: 'clean', fix: 'Start the bench-runner with --allow-target loopback as well.' },
} as const satisfies Record<string, { exit: ExitName; fix: string }>;

export type FindingCode = keyof typeof findingTable;

/** Lists all findings, the gravest first. */
export const findingCodes = Object.keys(findingTable) as [FindingCode, ...FindingCode[]];

/** Names what limits a load. Each fits behind "limited by". */
export const limitNames = [
  'file descriptors',
  'source ports',
  'connection tracking',
  'memory',
  'the limits of a bench-runner',
  'event loops',
  'cores',
] as const;

/** Says why there is no figure. */
const without = { isMeasured: z.literal(false), why: outsideSentence };

const loop = z.discriminatedUnion('isMeasured', [
  z.strictObject({
    isMeasured: z.literal(true),
    expected: count,
    delivered: count,
    /** CPU of a delivery in microseconds: of the busiest thread, and of all threads that take deliveries. */
    cpuUs: z.strictObject({ busiest: z.number().positive(), all: z.number().positive() }),
    /** Cores that the rest of the process used, and that other programs of its machine used. */
    coresBeside: z.number().min(0),
    othersCores: z.number().min(0),
    /** The share of the time in which a thread that was ready to run had a core. */
    coreShare: z.number().min(0).max(1),
    /** Limit of its container. */
    quotaCores: z.number().positive().nullable(),
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

const shardDrill = z.strictObject({
  url: z.string(),
  /** Reason why the shard was lost in the drill; left out if it was not. */
  lost: outsideSentence.optional(),
  version: outside,
  engine: engineOffer,
  clockId: outside,
  machine,
  /** Limits before the drill. */
  limits: shardInfo.shape.limits,
  /** Offset of its wall clock to the driver's. Null if the shard was lost before. */
  clock: z.strictObject({ offsetMs: z.number(), uncertaintyMs: ms }).nullable(),
  roundTrip: z.strictObject({ medianMs: ms, worstMs: ms, asked: count }).nullable(),
  loop,
  /** Null without a target, or if another shard kept the drill from trying it. */
  path: path.nullable(),
});

export type ShardDrill = z.output<typeof shardDrill>;
export type MeasuredLoop = Extract<ShardDrill['loop'], { isMeasured: true }>;

const limit = z.strictObject({ by: z.enum(limitNames), url: z.string(), text: z.string(), fix: z.string() });

const drillFinding = z.strictObject({
  code: z.enum(findingCodes),
  /** Shards of the finding. */
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
