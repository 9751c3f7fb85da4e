import { ms, type RunFacts, type RunRule, type ShardFacts, wholePercent } from './facts.js';

/** A run also starts workers, opens gates and fetches samples, however short it is. */
const overrun = { share: 0.5, ms: 5000 };

/** Names the rule that applies if the counts of a run do not add up. */
export const ledgerBroken = 'ledger-broken';

/** Lists the rules that void a run: its numbers are then meaningless. */
export const voidRules: readonly RunRule[] = [
  {
    rule: 'cut-short',
    level: 'void',
    threshold: 'the run stops before its planned end, unless its user ended it',
    reason: 'a run without its planned end is another test than you asked for',
    check: ({ cutShortBy }) => (cutShortBy === undefined ? undefined : `the run was cut short: ${cutShortBy}`),
  },
  {
    rule: 'work-missing',
    level: 'void',
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
    level: 'void',
    threshold: 'a sum of the ledger is off by one',
    reason: 'the counters are inconsistent, so some events were miscounted',
    check: ({ ledgerBreaks }) => (ledgerBreaks.length > 0 ? ledgerBreaks.join('; ') : undefined),
  },
  {
    rule: 'nothing-connected',
    level: 'void',
    threshold: 'no client is ready on any shard, and no shard is lost',
    reason: 'nothing can be delivered without an audience',
    check: ({ shards, lostShards }) =>
      lostShards === 0 && shards.every((shard) => shard.ready === 0) ? 'no client was subscribed' : undefined,
  },
  {
    rule: 'nothing-published',
    level: 'void',
    threshold: 'the target acks no publish, and no shard is lost',
    reason: 'without an acked broadcast nothing is expected, so no loss can show',
    check: ({ ledger, lostShards }) =>
      lostShards === 0 && ledger.acked === 0 ? `none of ${ledger.attempted} publishes was acked` : undefined,
  },
  {
    rule: 'nothing-delivered',
    level: 'void',
    threshold: 'nothing is delivered or answered, and no threshold on that count expects it',
    reason: 'a run in which nothing arrives measures only loss',
    check: ({ nothingDelivered }) => nothingDelivered,
  },
  {
    rule: 'delivery-over-100',
    level: 'void',
    threshold: 'more unique deliveries arrive than were expected',
    reason: 'more deliveries than expected can only be a counting error',
    check: ({ ledger: { delivered = 0, owed = 0, expected = owed } }) =>
      delivered > expected ? `${delivered} delivered of ${expected} expected` : undefined,
  },
  {
    rule: 'clock-fault',
    level: 'void',
    threshold: 'one frame is stamped before its publish',
    reason: 'a frame cannot arrive before it is sent, so stamps of two clocks were mixed',
    check: ({ clockFaults }) =>
      clockFaults > 0 ? `${clockFaults} deliveries were stamped before their publish` : undefined,
  },
  {
    rule: 'clock-id',
    level: 'void',
    threshold: 'a shard stamps by another clock than it named before the job, or times one frame too many',
    reason: 'only the shard that published a broadcast times it: clocks of two shards are never subtracted',
    check: (facts) => [...changedClocks(facts), ...foreignTimes(facts)].join('; ') || undefined,
  },
  {
    rule: 'silent-shard',
    level: 'void',
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
    level: 'void',
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
