import { count } from '../../units/words.js';
import { broadcastLedger, broadcastLedgerLines } from '../broadcasts/ledger.js';
import type { Ledger, LedgerEntries, Sums } from '../scenario.js';

const total = (seconds: readonly number[]): number => seconds.reduce((sum, each) => sum + each, 0);
const toATenth = (value = 0): number => Math.round(value * 10) / 10;

/**
 * Deliveries owed and not yet there at the end of each second since the start of the load: broadcasts published so far that were acked, to each
 * subscriber, less what was received. What gets lost stays in it. Deliveries of broadcasts that were not acked can make it too small, never below 0.
 */
export function backlogOf({ counts, timeline }: Pick<Sums, 'counts' | 'timeline'>): number[] {
  const { published = [], received = [] } = timeline;
  let owed = 0;
  return Array.from({ length: Math.max(published.length, received.length) }, (_, second) => {
    owed += (published[second] ?? 0) * (counts.subscribers ?? 0) - (received[second] ?? 0);
    return Math.max(0, owed);
  });
}

/** The books of a broadcast run with its rates and the peak of its backlog; they break, too, where the seconds do not add up to what was received. */
export function throughputLedger(sums: Sums): Ledger {
  const { counts, series, timeline } = sums;
  const { entries, breaks } = broadcastLedger(counts, series);
  const inSeconds = total(timeline.received ?? []);
  const { received = 0 } = counts;
  return {
    entries: {
      ...entries,
      latePublishes: counts.latePublishes ?? 0,
      offeredPerSecond: toATenth(counts.offeredPerSecond),
      achievedPerSecond: toATenth(counts.achievedPerSecond),
      deliveriesPerSecond: toATenth(counts.deliveriesPerSecond),
      backlogPeak: Math.max(0, ...backlogOf(sums)),
    },
    breaks:
      inSeconds === received
        ? breaks
        : [...breaks, `received ${received} is not the sum of the seconds = ${inSeconds}`],
  };
}

/** The same in sentences. */
export function throughputLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const of = (name: string): string => count((entries[name] as number | undefined) ?? 0);
  return [
    ...broadcastLedgerLines(entries),
    [
      'rates',
      `${of('offeredPerSecond')} offered, ${of('achievedPerSecond')} achieved, ${of('deliveriesPerSecond')} deliveries per second; ${of('latePublishes')} publishes held back`,
    ],
    ['backlog', `${of('backlogPeak')} deliveries owed at the worst end of a second`],
  ];
}
