import { openGauge } from '../../measure/gauge.js';
import { sumCounts } from '../../measure/sums.js';
import { causesInWords, count } from '../../units/words.js';
import type { Ledger, LedgerEntries, Sums } from '../scenario.js';

type Causes = Record<string, number>;

const total = (values: Causes): number => Object.values(values).reduce((sum, each) => sum + each, 0);

/**
 * The books of held connections. Held are those that were open at the end and that the probe had reached; every other one that ever opened was lost:
 * in the ramp, in settle and hold, or at the probe, which finds those that no longer carry a message.
 */
export function heldLedger({ counts, causes, timeline }: Sums): Ledger {
  const { asked = 0, opened = 0, open = 0, held = 0, proven = 0, started = 0, failed = 0 } = counts;
  const failedByCause = { ...causes.connect };
  const notStarted = asked - started;
  if (notStarted > 0) failedByCause['not-started'] = notStarted;
  const notOpened = total(failedByCause);
  const lostByCause = { ...causes.close };
  const lostAtProbeByCause = { ...causes.lostAtProbe };
  if (open > held) lostByCause.unproven = lostAtProbeByCause.unproven = open - held;
  const byStage = {
    lostInRampByCause: { ...causes.lostInRamp },
    lostInHoldByCause: { ...causes.lostInHold },
    lostAtProbeByCause,
  };
  const lost = total(lostByCause);
  const { peak } = openGauge(timeline);
  const entries = { asked, opened, notOpened, peak, held, proven, lost, lostByCause, ...byStage, failedByCause };
  const breaks: string[] = [];
  // Where nothing was open any more, the probe had nobody to prove.
  if (open > 0 && counts.probesAttempted && !counts.probesAcked) breaks.push('no probe was acked: nothing is proven');
  if (opened !== held + lost) breaks.push(`opened ${opened} is not held + lost = ${held + lost}`);
  if (asked !== opened + notOpened) breaks.push(`asked ${asked} is not opened + not opened = ${opened + notOpened}`);
  if (started !== opened + failed) breaks.push(`started ${started} is not opened + failed = ${opened + failed}`);
  if (peak < open) breaks.push(`the gauge's peak ${peak} is below the ${open} open at the end`);
  return { entries, breaks: [...breaks, ...stageBreaks(lostByCause, Object.values(byStage))] };
}

/** What does not come to the same cause by cause, counted at all and counted stage by stage. */
function stageBreaks(lostByCause: Causes, stages: readonly Causes[]): string[] {
  const byStage = sumCounts(stages);
  const names = Object.keys(sumCounts([lostByCause, byStage]));
  return names.flatMap((cause) => {
    const [all, inStages] = [lostByCause[cause] ?? 0, byStage[cause] ?? 0];
    return all === inStages ? [] : [`lost by ${cause} ${all} is not ramp + hold + probe = ${inStages}`];
  });
}

const lossTitles = {
  lostInRampByCause: 'in the ramp',
  lostInHoldByCause: 'in the hold',
  lostAtProbeByCause: 'at the probe',
};

/** The same in sentences. */
export function heldLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const of = (name: string): string => count((entries[name] as number | undefined) ?? 0);
  const causes = (name: string): string => causesInWords(entries[name] as Causes | undefined);
  const losses = Object.entries(lossTitles).flatMap(([name, title]) => {
    const words = causes(name);
    return words === '' ? [] : [`${title} ${words}`];
  });
  return [
    [
      'connections',
      `${of('asked')} asked, ${of('opened')} opened = ${of('held')} held + ${of('lost')} lost, peak ${of('peak')}`,
    ],
    ['proven', `${of('proven')} reached by the probe`],
    // Books of earlier versions do not say in which stage.
    ['lost', losses.join('; ') || causes('lostByCause') || 'none'],
    ['failed', causes('failedByCause') || 'none'],
  ];
}
