import { ms, wholePercent } from './evidence.js';
import type { RunFacts, ShardFacts, VerdictRule } from './facts.js';

/** Short runs spend a fixed time beside their plan: the start of workers, gates, the fetching of samples. */
const overrun = { share: 0.5, ms: 5000 };

/** What makes a run's numbers stand for nothing. */
export const voidRules: readonly VerdictRule[] = [
  {
    rule: 'cut-short',
    level: 'void',
    threshold: 'any stop before the planned end',
    reason: 'a run that did not reach its planned end measured another test than was asked for',
    check: ({ cutShortBy }) => (cutShortBy === undefined ? undefined : `the run was cut short: ${cutShortBy}`),
  },
  {
    rule: 'work-missing',
    level: 'void',
    threshold:
      'one client asked for, or one broadcast attempted, fewer or more than the job says, of a run that came to its end',
    reason: 'a part of the rig that did not do its share, and said nothing, made another test of this one',
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
    rule: 'ledger-broken',
    level: 'void',
    threshold: 'a difference of one',
    reason: 'books that do not foot lost count of something, and nobody knows of what',
    check: ({ ledgerBreaks }) => (ledgerBreaks.length > 0 ? ledgerBreaks.join('; ') : undefined),
  },
  {
    rule: 'nothing-connected',
    level: 'void',
    threshold: 'no client ready on any shard, and no shard lost',
    reason: 'without an audience there is no delivery to measure',
    check: ({ shards, lostShards }) =>
      lostShards === 0 && shards.every((shard) => shard.ready === 0) ? 'no client was subscribed' : undefined,
  },
  {
    rule: 'nothing-published',
    level: 'void',
    threshold: 'no publish acked, and no shard lost',
    reason: 'without an acked broadcast nothing is owed to anybody, and no loss can show',
    check: ({ ledger, lostShards }) =>
      lostShards === 0 && ledger.acked === 0 ? `of ${ledger.attempted} publishes none was acked` : undefined,
  },
  {
    rule: 'nothing-delivered',
    level: 'void',
    threshold: 'not one delivery or answer, where no threshold on that count expects it',
    reason: 'a run in which nothing arrives measured nothing but the loss of everything',
    check: ({ nothingDelivered }) => nothingDelivered,
  },
  {
    rule: 'delivery-over-100',
    level: 'void',
    threshold: 'one delivery more than was owed',
    reason: 'more unique deliveries than were owed can only be a fault of the count',
    check: ({ ledger }) =>
      (ledger.delivered ?? 0) > (ledger.expected ?? 0)
        ? `${ledger.delivered} delivered of ${ledger.expected} expected`
        : undefined,
  },
  {
    rule: 'clock-fault',
    level: 'void',
    threshold: 'one delivery stamped before its publish',
    reason: 'a frame cannot arrive before it was sent: stamps of two clocks were mixed',
    check: ({ clockFaults }) =>
      clockFaults > 0 ? `${clockFaults} deliveries were stamped before their publish` : undefined,
  },
  {
    rule: 'clock-id',
    level: 'void',
    threshold: 'a shard whose stamps are of another clock than it named before the job, or one timed delivery too many',
    reason: 'a delivery is timed only by the shard that published it: clocks of two shards are never subtracted',
    check: (facts) => [...changedClocks(facts), ...foreignTimes(facts)].join('; ') || undefined,
  },
  {
    rule: 'silent-shard',
    level: 'void',
    threshold: 'a shard that published nothing of what it was dealt, or has an audience and heard nothing',
    reason: 'all shards hear the one stream; one that heard or sent nothing made this another test',
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
    threshold: `${wholePercent(overrun.share)} and ${overrun.ms / 1000} s over plan`,
    reason: 'a run that took half as long again as planned did not keep its schedule anywhere',
    check: ({ elapsedMs, plannedMs }) =>
      elapsedMs > plannedMs * (1 + overrun.share) + overrun.ms
        ? `took ${ms(elapsedMs)} of ${ms(plannedMs)} planned`
        : undefined,
  },
];

function differing(what: string, got: number, demanded: number | null): string[] {
  return demanded !== null && got !== demanded ? [`${got} ${what}, of ${demanded}`] : [];
}

/** Whether a shard had anything to send; where nobody knows how much there was to be sent, not where that was less than one for each shard. */
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
    .map(({ label, clockId, clockIdBefore }) => `${label} stamped by ${clockId}, and named ${clockIdBefore} before`);
}

/** A shard can have timed no more than each of its own broadcasts to each of its own subscribers. */
function foreignTimes({ shards, metrics }: RunFacts): string[] {
  const timed = metrics.delivery?.count ?? 0;
  const own = shards.reduce((sum, { published, ready }) => sum + published * ready, 0);
  return timed > own
    ? [`${timed} deliveries were timed, of which at most ${own} were of a shard's own broadcasts`]
    : [];
}
