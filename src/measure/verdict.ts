/** What the verdict is drawn from: plain facts of a run, all shards together. Times in milliseconds, latencies in microseconds. */
export interface RunFacts {
  /** The stop reason's title when the run did not go to its planned end. */
  cutShortBy: string | undefined;
  plannedMs: number;
  elapsedMs: number;
  offeredPerSecond: number | null;
  achievedPerSecond: number | null;
  ledgerBreaks: readonly string[];
  ledger: Readonly<Record<string, number>>;
  metrics: Readonly<Record<string, { count: number; p50: number | null; p99: number | null; max: number | null }>>;
  clockFaults: number;
  /** Metrics that a loop stamps without a bracket, and whether that loop holds subscribers. */
  stampedBy: Readonly<Record<string, 'audience' | 'publisher'>>;
  shards: readonly ShardFacts[];
}

export interface ShardFacts {
  label: string;
  asked: number;
  ready: number;
  /** Clients that the target itself turned away: by HTTP status, close code, or a word of its protocol. */
  refused: number;
  published: number;
  received: number;
  descriptorsUsed: number | null;
  descriptorLimit: number | null;
  workers: readonly {
    label: string;
    holdsSubscribers: boolean;
    loopDelayP99Ms: number;
    loopDelayMaxMs: number;
    utilization: number;
    runQueueWaitMs: number | null;
    windowMs: number;
    gcMaxMs: number;
  }[];
}

/** One thing that can speak against a run. `check` gives the evidence, with the figures, or nothing. */
export interface VerdictRule {
  rule: string;
  level: 'limited' | 'void';
  /** Why the threshold stands where it does. */
  reason: string;
  check(facts: RunFacts): string | undefined;
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

/** What may be the rig's of a percentile before the run is limited: a fifth of it, and never less than a millisecond. */
const rigShareAllowed = 0.2;
const rigFloorUs = 1000;

const allowedUs = (percentileUs: number): number => Math.max(rigFloorUs, percentileUs * rigShareAllowed);

/** The rules of the verdict, gravest first. */
export const verdictRules: readonly VerdictRule[] = [
  {
    rule: 'cut-short',
    level: 'void',
    reason: 'a run that did not reach its planned end measured another test than was asked for',
    check: ({ cutShortBy }) => (cutShortBy === undefined ? undefined : `the run was cut short: ${cutShortBy}`),
  },
  {
    rule: 'ledger-broken',
    level: 'void',
    reason: 'books that do not foot lost count of something, and nobody knows of what',
    check: ({ ledgerBreaks }) => (ledgerBreaks.length > 0 ? ledgerBreaks.join('; ') : undefined),
  },
  {
    rule: 'nothing-connected',
    level: 'void',
    reason: 'without an audience there is no delivery to measure',
    check: ({ shards }) => (shards.every((shard) => shard.ready === 0) ? 'no client was subscribed' : undefined),
  },
  {
    rule: 'nothing-published',
    level: 'void',
    reason: 'without an acked broadcast nothing is owed to anybody, and no loss can show',
    check: ({ ledger }) => (ledger.acked === 0 ? `of ${ledger.attempted} publishes none was acked` : undefined),
  },
  {
    rule: 'delivery-over-100',
    level: 'void',
    reason: 'more unique deliveries than were owed can only be a fault of the count',
    check: ({ ledger }) =>
      (ledger.delivered ?? 0) > (ledger.expected ?? 0)
        ? `${ledger.delivered} delivered of ${ledger.expected} expected`
        : undefined,
  },
  {
    rule: 'clock-fault',
    level: 'void',
    reason: 'a frame cannot arrive before it was sent: stamps of two clocks were mixed',
    check: ({ clockFaults }) =>
      clockFaults > 0 ? `${clockFaults} deliveries were stamped before their publish` : undefined,
  },
  {
    rule: 'silent-shard',
    level: 'void',
    reason: 'all shards hear the one stream; one that heard or sent nothing made this another test',
    check: ({ shards, ledger }) => {
      const isHeard = (ledger.delivered ?? 0) > 0;
      // Fewer broadcasts than shards leave some with none to send.
      const isDealt = (ledger.attempted ?? 0) >= shards.length;
      const said = [
        ...shards
          .filter(({ ready, received }) => isHeard && ready > 0 && received === 0)
          .map(({ label }) => `no delivery reached ${label}`),
        ...shards
          .filter(({ published }) => isDealt && published === 0)
          .map(({ label }) => `${label} published nothing`),
      ];
      return said.length > 0 ? said.join(', ') : undefined;
    },
  },
  {
    rule: 'elapsed-overrun',
    level: 'void',
    reason: 'a run that took half as long again as planned did not keep its schedule anywhere',
    check: ({ elapsedMs, plannedMs }) =>
      elapsedMs > plannedMs * 1.5 + 5000 ? `took ${ms(elapsedMs)} of ${ms(plannedMs)} planned` : undefined,
  },
  {
    rule: 'uniform-ceiling',
    level: 'limited',
    reason: 'targets do not stop several shards at one and the same count; limits of the rig do',
    check: ({ shards }) => {
      const { ready: first = 0 } = shards[0] ?? {};
      // A target that says no may do so at the same count to each; shards that have nobody stopped at no ceiling.
      const isNone = shards.length < 2 || first === 0 || shards.every(({ refused }) => refused > 0);
      return !isNone && shards.every(({ ready, asked }) => ready === first && ready < asked * 0.99)
        ? `each of ${shards.length} shards stopped at exactly ${first} clients`
        : undefined;
    },
  },
  {
    rule: 'receive-lag',
    level: 'limited',
    reason:
      'the time that frames may have waited in our own event loop is known for each; it must be a small part of what is reported',
    check: ({ metrics }) => {
      for (const name of ['p50', 'p99'] as const) {
        const whole = metrics.delivery?.[name] ?? null;
        const least = metrics.deliveryAtLeast?.[name] ?? null;
        if (whole !== null && least !== null && whole - least > allowedUs(whole)) {
          return `delivery ${name} ${ms(whole / 1000)} may hold up to ${ms((whole - least) / 1000)} of waiting in the rig`;
        }
      }
      return undefined;
    },
  },
  {
    rule: 'loop-delay',
    level: 'limited',
    reason:
      'what a loop stamps by itself can be late by the delay of that loop, which must stay below half of what is reported',
    check: ({ shards, metrics, stampedBy }) => {
      for (const [name, role] of Object.entries(stampedBy)) {
        const p99 = metrics[name]?.p99 ?? null;
        if (p99 === null) continue;
        const allowedMs = Math.max(delayFloorMs, p99 / 2000);
        const found = worst(
          shards,
          (worker) =>
            worker.holdsSubscribers === (role === 'audience') && loopDelay(worker) > allowedMs ? loopDelay(worker) : 0,
          (label, value) => `${label} ran up to ${ms(value)} late, beside a ${name} p99 of ${ms(p99 / 1000)}`,
        );
        if (found !== undefined) return found;
      }
      return undefined;
    },
  },
  {
    rule: 'publish-lag',
    level: 'limited',
    reason: 'a publish that the rig itself sent late is part of every latency from the intended instant',
    check: ({ metrics }) => {
      const lag = metrics.publishLag?.p99 ?? null;
      const whole = metrics.deliveryFromIntended?.p99 ?? null;
      return lag !== null && whole !== null && lag > allowedUs(whole)
        ? `publishes left up to ${ms(lag / 1000)} late (p99), beside a deliveryFromIntended p99 of ${ms(whole / 1000)}`
        : undefined;
    },
  },
  {
    rule: 'loop-utilization',
    level: 'limited',
    reason: 'a loop that is busy nine tenths of the time queues whatever arrives in a burst',
    check: ({ shards }) =>
      worst(
        shards,
        (worker) => (worker.holdsSubscribers && worker.utilization > 0.9 ? worker.utilization : 0),
        (label, value) => `${label} was busy ${percent(value)} of the time`,
      ),
  },
  {
    rule: 'core-starved',
    level: 'limited',
    reason:
      'a worker that was ready to run but had no core stamped late by as much; a tenth of the window touches the percentiles',
    check: ({ shards }) =>
      worst(
        shards,
        (worker) => waitShare(worker.runQueueWaitMs, worker.windowMs),
        (label, value) => `${label} waited for a core ${percent(value)} of the time`,
      ),
  },
  {
    rule: 'gc-pause',
    level: 'limited',
    reason:
      'a pause of the collector delays every stamp behind it; one longer than the p99 can be the p99, unless no delivery took as long as the pause',
    check: ({ shards, metrics }) => {
      const { p99 = null, max = null } = metrics.delivery ?? {};
      if (p99 === null || max === null) return undefined;
      const allowedMs = Math.max(p99, 10_000) / 1000;
      return worst(
        shards,
        (worker) =>
          worker.holdsSubscribers && worker.gcMaxMs > allowedMs && worker.gcMaxMs * 1000 <= max ? worker.gcMaxMs : 0,
        (label, value) =>
          `${label} paused ${ms(value)} for garbage collection, beside a delivery p99 of ${ms(p99 / 1000)}`,
      );
    },
  },
  {
    rule: 'schedule-missed',
    level: 'limited',
    reason: 'below 98 % of the offered rate the target felt a lighter load than the result names',
    check: ({ offeredPerSecond, achievedPerSecond }) =>
      offeredPerSecond !== null && achievedPerSecond !== null && achievedPerSecond < offeredPerSecond * 0.98
        ? `achieved ${achievedPerSecond.toFixed(2)}/s of ${offeredPerSecond.toFixed(2)}/s offered`
        : undefined,
  },
  {
    rule: 'descriptor-headroom',
    level: 'limited',
    reason: 'above nine tenths of the descriptors the next accept or publish may fail in the rig',
    check: ({ shards }) => {
      const short = shards.find(
        ({ descriptorsUsed: used, descriptorLimit: limit }) => used !== null && limit !== null && used > limit * 0.9,
      );
      return short
        ? `${short.label} used ${short.descriptorsUsed} of ${short.descriptorLimit} file descriptors`
        : undefined;
    },
  },
];

/** Timers of Node keep time to a millisecond, and a busy machine adds another. */
const delayFloorMs = 3;
/** A single stall that covers more than this share of the window touches the p99 of what arrives in it. */
const stallShare = 0.01;

/** How late a loop's stamps can be at their p99, in milliseconds. */
function loopDelay({ loopDelayP99Ms, loopDelayMaxMs, windowMs }: WorkerFacts): number {
  return windowMs > 0 && loopDelayMaxMs / windowMs > stallShare ? loopDelayMaxMs : loopDelayP99Ms;
}

const starvedAbove = 0.1;

function waitShare(waitMs: number | null, windowMs: number): number {
  const share = waitMs === null || windowMs === 0 ? 0 : waitMs / windowMs;
  return share > starvedAbove ? share : 0;
}

type WorkerFacts = ShardFacts['workers'][number];

function worst(
  shards: readonly ShardFacts[],
  badness: (worker: WorkerFacts) => number,
  say: (label: string, value: number) => string,
): string | undefined {
  const bad = shards
    .flatMap((shard) =>
      shard.workers.map((worker) => ({ label: `${shard.label} ${worker.label}`, value: badness(worker) })),
    )
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
  const [first] = bad;
  if (!first) return undefined;
  const others = bad.length - 1;
  return say(first.label, first.value) + (others > 0 ? ` (and ${others} more worker${others > 1 ? 's' : ''})` : '');
}

/** Whether a run's numbers are the target's: `clean`, `limited` (the rig may have written them) or `void`, with the evidence of every rule that speaks. */
export function judge(facts: RunFacts): {
  rig: 'clean' | 'limited' | 'void';
  evidence: { rule: string; level: 'limited' | 'void'; text: string }[];
} {
  const evidence = verdictRules.flatMap(({ rule, level, check }) => {
    const text = check(facts);
    return text === undefined ? [] : [{ rule, level, text }];
  });
  const isVoid = evidence.some(({ level }) => level === 'void');
  return { rig: isVoid ? 'void' : evidence.length > 0 ? 'limited' : 'clean', evidence };
}
