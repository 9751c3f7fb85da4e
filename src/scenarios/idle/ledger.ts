import { sumOf } from '../../measure/ledger.js';
import { sumCounts } from '../../measure/samples/sums.js';
import { openGauge } from '../../measure/stats/gauge.js';
import { causesInWords } from '../../units/words.js';
import { check, ledgerOf, openedSum, total } from '../books.js';

type Causes = Record<string, number>;

const heldSum = sumOf(['opened', 'connections opened'], { held: 'held', lost: 'lost' });

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

/** The ledger of held connections: open at the end and reached by the probe. All others are lost. */
export const heldLedger = ledgerOf({
  kinds: { given: ['asked'], merit: ['opened', 'peak', 'held', 'proven'], fault: ['notOpened', 'lost'] },
  sums: [heldSum, openedSum],
  count({ counts, causes, timeline }) {
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
    const unprobed = open > 0 && counts.probesAttempted && !counts.probesAcked;
    const breaks = [
      // Without an open connection the probe has nothing to prove.
      ...(unprobed ? ['no probe was acked: nothing is proven'] : []),
      ...check(started, 'started', opened + failed, 'opened + failed'),
      ...(peak < open ? [`the gauge's peak ${peak} is below the ${open} open at the end`] : []),
      ...stageBreaks(lostByCause, Object.values(byStage)),
    ];
    return { entries, breaks };
  },
  lines({ of, parts }, entries) {
    const causes = (name: string): string => causesInWords(entries[name] as Causes | undefined);
    const losses = Object.entries(lossTitles).flatMap(([name, title]) => {
      const words = causes(name);
      return words === '' ? [] : [`${title} ${words}`];
    });
    return [
      ['connections', `${of('asked')} asked, ${of('opened')} opened = ${parts(heldSum)}, peak ${of('peak')}`],
      ['proven', `${of('proven')} reached by the probe`],
      // Books of earlier versions do not say in which stage.
      ['lost', losses.join('; ') || causes('lostByCause') || 'none'],
      ['failed', causes('failedByCause') || 'none'],
    ];
  },
});
