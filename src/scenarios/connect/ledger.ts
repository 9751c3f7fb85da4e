import { sumOf } from '../../measure/ledger.js';
import { causesInWords } from '../../units/words.js';
import { check, ledgerOf, openedSum, total } from '../books.js';

const startedSum = sumOf(['started', 'connections started'], { opened: 'opened', failed: 'failed' });

/** Every connection asked for was established, failed by a cause, or not started because the run ended first. */
export const connectLedger = ledgerOf({
  kinds: { given: ['asked', 'started'], merit: ['opened'], fault: ['notOpened', 'failed', 'lost'] },
  sums: [startedSum, openedSum],
  count({ counts, causes }) {
    const { asked = 0, started = 0, opened = 0, failed = 0, open = 0 } = counts;
    const lostByCause = { ...causes.close };
    const lost = total(lostByCause);
    // Those that were not started, the run having ended first, have no cause of their own.
    const notOpened = failed + asked - started;
    return {
      entries: { asked, started, opened, notOpened, failed, lost, failedByCause: { ...causes.connect }, lostByCause },
      breaks: check(opened, 'opened', open + lost, 'open + lost'),
    };
  },
  lines({ of, parts }, { lostByCause, failedByCause }) {
    const causes = (by: unknown): string => causesInWords(by as Record<string, number> | undefined) || 'none';
    return [
      ['connections', `${of('asked')} asked, ${of('started')} started = ${parts(startedSum)}`],
      ['lost', causes(lostByCause)],
      ['failed', causes(failedByCause)],
    ];
  },
});
