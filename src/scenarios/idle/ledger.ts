import { openGauge } from '../../measure/gauge.js';
import { causesInWords, count } from '../../units/words.js';
import type { Ledger, LedgerEntries, Sums } from '../scenario.js';

/** The books of held connections. Held are those that were open at the end and that the probe had reached; every other one that ever opened was lost. */
export function heldLedger({ counts, causes, timeline }: Sums): Ledger {
  const total = (values: Record<string, number>): number => Object.values(values).reduce((sum, each) => sum + each, 0);
  const { asked = 0, opened = 0, open = 0, held = 0, proven = 0, started = 0, failed = 0 } = counts;
  const failedByCause = { ...causes.connect };
  const notStarted = asked - started;
  if (notStarted > 0) failedByCause['not-started'] = notStarted;
  const lostByCause = { ...causes.close };
  if (open > held) lostByCause.unproven = open - held;
  const lost = total(lostByCause);
  const entries = { asked, opened, peak: openGauge(timeline).peak, held, proven, lost, lostByCause, failedByCause };
  const breaks: string[] = [];
  if (counts.probesAttempted && !counts.probesAcked) breaks.push('no probe was acked: nothing is proven');
  if (opened !== held + lost) breaks.push(`opened ${opened} is not held + lost = ${held + lost}`);
  if (started !== opened + failed) breaks.push(`started ${started} is not opened + failed = ${opened + failed}`);
  if (entries.peak < open) breaks.push(`the gauge's peak ${entries.peak} is below the ${open} open at the end`);
  return { entries, breaks };
}

/** The same in sentences. */
export function heldLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const of = (name: string): string => count((entries[name] as number | undefined) ?? 0);
  const causes = (name: string): string => causesInWords(entries[name] as Record<string, number> | undefined) || 'none';
  return [
    [
      'connections',
      `${of('asked')} asked, ${of('opened')} opened = ${of('held')} held + ${of('lost')} lost, peak ${of('peak')}`,
    ],
    ['proven', `${of('proven')} reached by the probe`],
    ['lost', causes('lostByCause')],
    ['failed', causes('failedByCause')],
  ];
}
