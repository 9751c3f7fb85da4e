import { countText } from '../../units/text.js';
import { ms, type RunFacts, type RunRule, type ShardFacts, wholePercent, worst } from './facts.js';

/** A run also starts workers, opens gates and fetches samples, however short it is. */
const overrun = { share: 0.5, ms: 5000 };

/** Names the rule that applies if the counts of a run do not add up. */
export const ledgerBroken = 'ledger-broken';

/** Lists the rules that void a run: its numbers are then meaningless. */
export const voidRules: readonly RunRule[] = [
  {
    rule: 'cut-short',
    threshold: 'the run stops before its planned end, unless its user ended it',
    reason: 'a run without its planned end is another test than you asked for',
    check: ({ cutShortBy }) => (cutShortBy === undefined ? undefined : `the run was cut short: ${cutShortBy}`),
  },
  {
    rule: 'work-missing',
    threshold: 'a complete run opens one client, or attempts one broadcast, fewer or more than the job says',
    reason: 'a part of the load was silently not generated',
    check: ({ cutShortBy, demanded, shards, ledger }) => {
      if (cutShortBy !== undefined) return undefined;
      const asked = shards.reduce((sum, shard) => sum + shard.asked, 0);
      const said = [
        ...differing('clients asked for', asked, demanded.clients),
        ...differing('broadcasts attempted', ledger.attempted ?? 0, demanded.broadcasts),
      ];
      return said.join(', ') || undefined;
    },
  },
  {
    rule: ledgerBroken,
    threshold: 'a sum of the ledger is off by one',
    reason: 'the counters are inconsistent, so some events were miscounted',
    check: ({ ledgerBreaks }) => (ledgerBreaks.length > 0 ? ledgerBreaks.join('; ') : undefined),
  },
  {
    rule: 'nothing-connected',
    threshold: 'no client is ready on any shard, and no shard is lost',
    reason: 'nothing can be delivered without an audience',
    check: ({ shards, lostShards }) =>
      lostShards === 0 && shards.every((shard) => shard.ready === 0) ? 'no client was subscribed' : undefined,
  },
  {
    rule: 'nothing-published',
    threshold: 'the target acks no publish, and no shard is lost',
    reason: 'without an acked broadcast nothing is expected, so no loss can show',
    check: ({ ledger, lostShards }) =>
      lostShards === 0 && ledger.acked === 0 ? `none of ${ledger.attempted} publishes was acked` : undefined,
  },
  {
    rule: 'nothing-delivered',
    threshold: 'nothing is delivered or answered, and no threshold on that count expects it',
    reason: 'a run in which nothing arrives measures only loss',
    check: ({ nothingDelivered }) => nothingDelivered,
  },
  {
    rule: 'delivery-over-100',
    threshold: 'more unique deliveries arrive than were expected',
    reason: 'more deliveries than expected can only be a counting error',
    check: ({ ledger: { delivered = 0, owed = 0, expected = owed } }) =>
      delivered > expected ? `${delivered} delivered of ${expected} expected` : undefined,
  },
  {
    rule: 'clock-fault',
    threshold: 'one frame is stamped before its publish',
    reason: 'a frame cannot arrive before it is sent, so stamps of two clocks were mixed',
    check: ({ clockFaults }) =>
      clockFaults > 0 ? `${clockFaults} deliveries were stamped before their publish` : undefined,
  },
  {
    rule: 'clock-id',
    threshold: 'a shard stamps by another clock than it named before the job, or times one frame too many',
    reason: 'only the shard that published a broadcast times it: clocks of two shards are never subtracted',
    check: (facts) => [...changedClocks(facts), ...foreignTimes(facts)].join('; ') || undefined,
  },
  {
    rule: 'silent-shard',
    threshold: 'a shard publishes nothing of its share, or its clients receive nothing',
    reason: 'all shards share one stream, so a silent one makes this another test',
    check: ({ shards, ledger, cutShortBy }) => {
      const isHeard = (ledger.delivered ?? 0) > 0;
      const attempted = ledger.attempted ?? 0;
      const said = [
        ...shards
          .filter(({ ready, received }) => isHeard && ready > 0 && received === 0)
          .map(({ label }) => `no delivery reached ${label}`),
        ...shards
          .filter(
            ({ published, dealt }) =>
              published === 0 && isDealt(dealt, attempted, cutShortBy === undefined, shards.length),
          )
          .map(({ label }) => `${label} published nothing`),
      ];
      return said.length > 0 ? said.join(', ') : undefined;
    },
  },
  {
    rule: 'elapsed-overrun',
    threshold: `the run takes ${wholePercent(overrun.share)} and ${overrun.ms / 1000} s longer than planned`,
    reason: 'a run that takes half as long again as planned did not keep its schedule',
    check: ({ elapsedMs, plannedMs }) =>
      elapsedMs > plannedMs * (1 + overrun.share) + overrun.ms
        ? `took ${ms(elapsedMs)} of ${ms(plannedMs)} planned`
        : undefined,
  },
];

function differing(what: string, got: number, demanded: number | null): string[] {
  return demanded !== null && got !== demanded ? [`${got} ${what}, of ${demanded}`] : [];
}

/** Returns true if a shard had anything to send. Without a known total, fewer sends than shards prove nothing. */
function isDealt(
  { clients, broadcasts }: ShardFacts['dealt'],
  attempted: number,
  isWhole: boolean,
  shards: number,
): boolean {
  const isKnown = broadcasts !== null && isWhole;
  return (broadcasts ?? clients) > 0 && (isKnown || attempted >= shards);
}

function changedClocks({ shards }: RunFacts): string[] {
  return shards
    .filter(({ clockId, clockIdBefore }) => clockIdBefore !== null && clockId !== clockIdBefore)
    .map(({ label, clockId, clockIdBefore }) => `${label} stamped by ${clockId}, but named ${clockIdBefore} before`);
}

/** A shard times at most each of its own broadcasts to each of its own subscribers. */
function foreignTimes({ shards, metrics, declared }: RunFacts): string[] {
  const deliveries = Object.keys(declared).filter((metric) => declared[metric]?.isDelivery);
  const timed = Math.max(0, ...deliveries.map((metric) => metrics[metric]?.count ?? 0));
  const own = shards.reduce((sum, { published, ready }) => sum + published * ready, 0);
  return timed > own
    ? [`${timed} deliveries were timed, of which at most ${own} were of a shard's own broadcasts`]
    : [];
}

const readyShareAllowed = 0.99;
/** A schedule that reaches less than this share of its rate is another load. */
export const achievedShareAllowed = 0.98;
const usedShareAllowed = 0.9;
/** A rig that stands still for longer then sends all overdue broadcasts at once. */
const stillMs = 1000;

/** Lists the rules for whole shards whose load is lighter than the job demands. */
export const fleetRules: readonly RunRule[] = [
  {
    rule: 'uniform-ceiling',
    threshold: `all shards stop at one count, below ${wholePercent(readyShareAllowed)} of what they were asked`,
    reason: 'a target does not stop several shards at one count; a limit of the load generator does',
    check: ({ shards }) => {
      const { ready: first = 0 } = shards[0] ?? {};
      // A target may refuse each shard at the same count. A shard without clients stopped at no ceiling.
      const isNone = shards.length < 2 || first === 0 || shards.every(({ refused }) => refused > 0);
      return !isNone && shards.every(({ ready, asked }) => ready === first && ready < asked * readyShareAllowed)
        ? `each of ${shards.length} shards stopped at exactly ${first} clients`
        : undefined;
    },
  },
  {
    rule: 'schedule-missed',
    threshold: `the target got less than ${wholePercent(achievedShareAllowed)} of the offered rate while it was there`,
    reason: 'the target then felt a lighter load than the result names',
    check: ({ offeredPerSecond: offered, achievedPerSecond: achieved, unmetPerSecond: unmet }) => {
      if (offered === null || achieved === null || achieved + unmet >= offered * achievedShareAllowed) return undefined;
      const beside = unmet > 0 ? `, beside ${unmet.toFixed(2)}/s that found no target` : '';
      return `achieved ${achieved.toFixed(2)}/s of ${offered.toFixed(2)}/s offered${beside}`;
    },
  },
  {
    rule: 'loop-paused',
    threshold: `a loop that makes the load is late by more than ${stillMs / 1000} s for 1 % of the time`,
    reason: 'what was due meanwhile left in a burst, so the target felt another load than the result names',
    check: ({ shards }) =>
      worst(
        shards.map(withSenders),
        ({ loopDelayP99Ms }) => (loopDelayP99Ms > stillMs ? loopDelayP99Ms : 0),
        (label, value) => `${label} stood still for ${ms(value)}`,
      ),
  },
  {
    rule: 'publishes-withheld',
    threshold: 'the load generator has no port or descriptor left for one publish',
    reason: 'the target had less to do than the result names',
    check: ({ withheld }) =>
      withheld > 0
        ? `${countText(withheld)} publishes were not sent: the load generator had no port or descriptor left`
        : undefined,
  },
  {
    rule: 'descriptor-headroom',
    threshold: `a shard uses more than ${wholePercent(usedShareAllowed)} of its file descriptors`,
    reason: 'the next connect or publish may fail in the load generator',
    check: ({ shards }) => {
      const short = shards.find(({ descriptorsUsed, descriptorLimit }) => isShort(descriptorsUsed, descriptorLimit));
      return short
        ? `${short.label} used ${short.descriptorsUsed} of ${short.descriptorLimit} file descriptors`
        : undefined;
    },
  },
  {
    rule: 'port-headroom',
    threshold: `sockets in TIME_WAIT exceed ${wholePercent(usedShareAllowed)} of the ports of all source addresses`,
    reason: 'a port in TIME_WAIT is blocked for up to a minute, and a search for a free one slows or fails connections',
    check: ({ shards }) => {
      const short = shards.find(({ timeWait, sourcePorts }) => isShort(timeWait, sourcePorts));
      return short
        ? `${short.timeWait} sockets under ${short.label} were in TIME_WAIT, beside ${short.sourcePorts} source ports`
        : undefined;
    },
  },
];

/** Keeps only the loops whose schedule loads the target: the publisher or, without one, the clients. */
function withSenders(shard: ShardFacts): ShardFacts {
  const publishers = shard.workers.filter(({ holdsSubscribers }) => !holdsSubscribers);
  return publishers.length > 0 ? { ...shard, workers: publishers } : shard;
}

function isShort(used: number | null, limit: number | null): boolean {
  return used !== null && limit !== null && used > limit * usedShareAllowed;
}

function atLevel<L extends string>(level: L, rules: readonly RunRule[]): readonly (RunRule & { level: L })[] {
  return rules.map((rule) => ({ ...rule, level }));
}

export const runRules = [...atLevel('void', voidRules), ...atLevel('limited', fleetRules)];
