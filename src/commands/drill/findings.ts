import { z } from 'zod';
import { engineOffer } from '../../contract/engine.js';
import { type ExitName, worstExit } from '../../contract/exit-codes.js';
import { outside, outsideSentence, type Problem } from '../../contract/problems.js';
import { machine, shardInfo } from '../../contract/shard.js';
import { version } from '../../contract/version.js';
import { milliseconds } from '../../render/words/values.js';
import { resultVersion, tool } from '../../results/result.js';
import { countText } from '../../units/text.js';

const count = z.number().int().min(0);
const amount = z.number().min(0);

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

const findingCodes = Object.keys(findingTable) as [FindingCode, ...FindingCode[]];

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
    coresBeside: amount,
    othersCores: amount,
    /** The share of the time in which a thread that was ready to run had a core. */
    coreShare: z.number().min(0).max(1),
    /** Limit of its container. */
    quotaCores: z.number().positive().nullable(),
    loops: count,
    /** Deliveries per second that one event loop can take. */
    perSecondOfLoop: amount,
    /** Cores that it can use, of its machine or its quota. */
    freeCores: amount,
    perSecond: amount,
  }),
  /** `isAllowed` is false if the shard does not allow the measurement. */
  z.strictObject({ ...without, isAllowed: z.boolean() }),
]);

/** Deliveries of the target, and the TCP losses meanwhile. */
const path = z.discriminatedUnion('isMeasured', [
  z.strictObject({
    isMeasured: z.literal(true),
    /** Largest share of deliveries that lost segments can have delayed; null where the system does not report them. */
    lateShare: amount.nullable(),
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
  clock: z.strictObject({ offsetMs: z.number(), uncertaintyMs: amount }).nullable(),
  roundTrip: z.strictObject({ medianMs: amount, worstMs: amount, asked: count }).nullable(),
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
  elapsedMs: amount,
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

/** Milliseconds. Wall clocks further apart give misleading report times. */
const offFromMs = 1000;
const lossyFrom = 0.005;
/** Fewer lost segments are chance: at 0.1 %, three of five hundred are lost in one drill of fifty. */
const leastLost = 3;

/** Holds a shard that can't take part, and why. */
export interface AbsentShard {
  url: string;
  problem: Problem;
}

/** Returns everything that is wrong with a fleet, the gravest first. `targetFix` mends a target that was refused. */
export function judgeDrill(
  shards: readonly ShardDrill[],
  absent: readonly AbsentShard[] = [],
  targetFix?: string,
): DrillFinding[] {
  const here = shards.filter(({ lost }) => lost === undefined);
  const found = [
    ...absent.map(({ url, problem: { message, hint } }) => finding('absent', [url], message, hint)),
    ...shards.flatMap(({ url, lost }) => (lost === undefined ? [] : [finding('lost', [url], lost)])),
    ...differences(here),
    ...missedTarget(here, targetFix),
    ...here.flatMap((shard) => [...ofLoop(shard), ...ofPath(shard), ...ofClock(shard)]),
  ];
  return found.sort((a, b) => findingCodes.indexOf(a.code) - findingCodes.indexOf(b.code));
}

/** Returns the exit of a drill with these findings. */
export function drillExit(findings: readonly DrillFinding[]): ExitName {
  return worstExit(findings.map(({ code }) => findingTable[code].exit));
}

function finding(code: FindingCode, urls: string[], text: string, fix: string = findingTable[code].fix): DrillFinding {
  return { code, urls, text, fix };
}

function differences(shards: readonly ShardDrill[]): DrillFinding[] {
  const others = shards.filter((shard) => shard.version !== version);
  const without = shards.filter(({ engine }) => engine.name === 'js');
  const isMixed = without.length > 0 && without.length < shards.length;
  return [
    ...others.map((shard) => {
      const text = `${shard.url}: it runs version ${shard.version}, the driver ${version}`;
      return finding('versionsDiffer', [shard.url], text);
    }),
    ...(isMixed ? without : []).map(({ url, engine: { why } }) =>
      finding('enginesDiffer', [url], `${url}: it lacks the native engine that others have${why ? ` (${why})` : ''}`),
    ),
  ];
}

function missedTarget(shards: readonly ShardDrill[], fix: string | undefined): DrillFinding[] {
  const byReason = new Map<string, string[]>();
  for (const { url, path } of shards)
    if (path?.isMeasured === false) byReason.set(path.why, [...(byReason.get(path.why) ?? []), url]);
  return [...byReason].map(([why, urls]) =>
    finding('targetMissed', urls, `${urls.join(', ')}: the target delivered nothing: ${why}`, fix),
  );
}

function ofLoop({ url, loop }: ShardDrill): DrillFinding[] {
  if (!loop.isMeasured) {
    const { isAllowed, why } = loop;
    if (!isAllowed) return [finding('loopUnmeasured', [url], `${url}: no delivery was tried: ${why}`)];
    return [finding('deliveriesLost', [url], `${url}: nothing was delivered on its own loopback: ${why}`)];
  }
  const { expected, delivered } = loop;
  if (delivered >= expected) return [];
  const lost = `${countText(expected - delivered)} of ${countText(expected)} deliveries`;
  return [finding('deliveriesLost', [url], `${url}: ${lost} were lost on its own loopback`)];
}

function ofPath({ url, path }: ShardDrill): DrillFinding[] {
  if (!path?.isMeasured || (path.lateShare ?? 0) < lossyFrom || (path.lost ?? 0) < leastLost) return [];
  return [finding('lossyPath', [url], `${url}: on the way to the target, ${path.tcp}`)];
}

function ofClock({ url, clock }: ShardDrill): DrillFinding[] {
  if (!clock || Math.abs(clock.offsetMs) - clock.uncertaintyMs <= offFromMs) return [];
  const side = clock.offsetMs > 0 ? 'ahead of' : 'behind';
  const off = `${seconds(Math.abs(clock.offsetMs))} ${side} the driver's`;
  return [finding('clockOff', [url], `${url}: its clock is ${off}`)];
}

/** Renders milliseconds, in seconds from one second on: `3.1 ms`, `−61.0 s`. */
export function seconds(ms: number): string {
  const sign = ms < 0 ? '−' : '';
  const size = Math.abs(ms);
  return sign + (size < 1000 ? `${milliseconds(size * 1000)} ms` : `${(size / 1000).toFixed(1)} s`);
}
