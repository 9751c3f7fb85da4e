import { check, ledgerOf, total } from '../books.js';
import { broadcastLedger } from '../broadcasts/ledger.js';
import { perSecond } from '../pace.js';
import type { Sums } from '../scenario.js';

const toATenth = (value = 0): number => Math.round(value * 10) / 10;

/** Deliveries of acked broadcasts missing at the end of each second, losses included; empty for batches. */
export function backlogOf({ counts, timeline }: Pick<Sums, 'counts' | 'timeline'>): number[] {
  const { published, received = [] } = timeline;
  if (!published) return [];
  let owed = 0;
  return Array.from({ length: Math.max(published.length, received.length) }, (_, second) => {
    owed += (published[second] ?? 0) * (counts.subscribers ?? 0) - (received[second] ?? 0);
    return Math.max(0, owed);
  });
}

/** The largest backlog, its second, and how many seconds later only losses were left. All zero without a backlog. */
export function peakOf(backlog: readonly number[]) {
  const backlogPeak = backlog.reduce((most, each) => Math.max(most, each), 0);
  if (backlogPeak === 0) return { backlogPeak, backlogPeakAtSecond: 0, backlogDrainedInSeconds: 0 };
  const peak = backlog.indexOf(backlogPeak);
  const rest = backlog.at(-1) ?? 0;
  const drained = backlog.findIndex((each, second) => second >= peak && each <= rest);
  return { backlogPeak, backlogPeakAtSecond: peak + 1, backlogDrainedInSeconds: drained - peak };
}

/** The ledger of a broadcast run with its rates and its backlog. It breaks where the seconds do not add up. */
export const throughputLedger = ledgerOf({
  base: broadcastLedger,
  kinds: {
    given: ['latePublishes', 'offeredPerSecond', 'batches', 'backlogPeakAtSecond'],
    merit: ['achievedPerSecond', 'deliveriesPerSecond'],
    burden: ['backlogPeak', 'backlogDrainedInSeconds'],
  },
  sums: broadcastLedger.books.sums,
  count(sums) {
    const { counts, timeline } = sums;
    const { received = 0, batches } = counts;
    const entries = {
      ...broadcastLedger.ledger(sums).entries,
      latePublishes: counts.latePublishes ?? 0,
      offeredPerSecond: toATenth(counts.offeredPerSecond),
      achievedPerSecond: toATenth(counts.achievedPerSecond),
      deliveriesPerSecond: perSecond(received, sums.longestMs?.deliveries),
      ...(batches === undefined ? peakOf(backlogOf(sums)) : { batches }),
    };
    return { entries, breaks: check(received, 'received', total(timeline.received), 'the sum of the seconds') };
  },
  lines({ of }, entries) {
    const publishes = `${of('offeredPerSecond')} offered, ${of('achievedPerSecond')} achieved`;
    const peak = `${of('backlogPeak')} deliveries missing at the peak, ${of('backlogPeakAtSecond')}`;
    return [
      ...broadcastLedger.ledgerLines(entries),
      [
        'rates',
        `${publishes}, ${of('deliveriesPerSecond')} deliveries per second; ${of('latePublishes')} publishes held back`,
      ],
      entries.batches === undefined
        ? ['backlog', `${peak} s after the start of the load; drained ${of('backlogDrainedInSeconds')} s later`]
        : ['batches', `${of('batches')} requests, each with up to a second of broadcasts`],
    ];
  },
});
