import { check, ledgerOf, total } from '../books.js';
import { perSecond } from '../pace.js';
import type { Sums } from '../scenario.js';
import { countVisits, visitLedger } from '../visits/ledger.js';

const toATenth = (value = 0): number => Math.round(value * 10) / 10;

type Backlogged = Pick<Sums, 'counts' | 'timeline' | 'series'>;

/** By second, the deliveries owed of the acked broadcasts that left in it, warm-up included; empty for batches. */
function owedIn({ counts, timeline, series }: Backlogged): number[] {
  const { published = [] } = timeline;
  const { owedInAll, publishedInSecond } = series;
  if (!owedInAll || !publishedInSecond) return published.map((broadcasts) => broadcasts * (counts.subscribers ?? 0));
  // Where clients come and go, each broadcast is owed to those that were there then.
  const owed = published.map(() => 0);
  publishedInSecond.forEach((second, sequence) => {
    if (second > 0) owed[second - 1] = (owed[second - 1] as number) + (owedInAll[sequence] as number);
  });
  return owed;
}

/** Deliveries of acked broadcasts missing at the end of each second, losses included; empty for batches. */
export function backlogOf(sums: Backlogged): number[] {
  const { published, received = [] } = sums.timeline;
  if (!published) return [];
  const owed = owedIn(sums);
  let missing = 0;
  return Array.from({ length: Math.max(owed.length, received.length) }, (_, second) => {
    missing += (owed[second] ?? 0) - (received[second] ?? 0);
    return Math.max(0, missing);
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
  base: visitLedger,
  kinds: {
    given: ['latePublishes', 'offeredPerSecond', 'batches', 'backlogPeakAtSecond'],
    merit: ['achievedPerSecond', 'deliveriesPerSecond'],
    burden: ['backlogPeak', 'backlogDrainedInSeconds'],
  },
  sums: visitLedger.books.sums,
  count(sums) {
    const { counts, timeline } = sums;
    const { received = 0, batches } = counts;
    const entries = {
      ...visitLedger.ledger(sums).entries,
      latePublishes: counts.latePublishes ?? 0,
      offeredPerSecond: toATenth(counts.offeredPerSecond),
      achievedPerSecond: toATenth(counts.achievedPerSecond),
      deliveriesPerSecond: perSecond(received, sums.longestMs?.deliveries),
      ...(batches === undefined ? peakOf(backlogOf(sums)) : { batches }),
    };
    const inSeconds = check(received, 'received', total(timeline.received), 'the sum of the seconds');
    return { entries, breaks: [...countVisits(sums).breaks, ...inSeconds] };
  },
  lines({ of }, entries) {
    const publishes = `${of('offeredPerSecond')} offered, ${of('achievedPerSecond')} achieved`;
    const peak = `${of('backlogPeak')} deliveries missing at the peak, ${of('backlogPeakAtSecond')}`;
    return [
      ...visitLedger.ledgerLines(entries),
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
