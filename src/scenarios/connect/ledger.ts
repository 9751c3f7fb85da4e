import {
  type Books,
  kindsOf,
  type Ledger,
  type LedgerEntries,
  type LedgerLines,
  type Sum,
  sumOf,
} from '../../measure/ledger.js';
import { causesInWords } from '../../units/words.js';
import { check, footed, readerOf, total } from '../books.js';
import type { Sums } from '../scenario.js';
import { openedSum } from '../sums.js';

const startedSum: Sum = sumOf(['started', 'connections started'], { opened: 'opened', failed: 'failed' });

/** The ledger of connections made. */
export const connectBooks: Books = {
  kinds: kindsOf({ given: ['asked', 'started'], merit: ['opened'], fault: ['notOpened', 'failed', 'lost'] }),
  sums: [startedSum, openedSum],
};

/** Every connection asked for was established, failed by a cause, or not started because the run ended first. */
export function connectLedger({ counts, causes }: Sums): Ledger {
  const { asked = 0, started = 0, opened = 0, failed = 0, open = 0 } = counts;
  const lostByCause = { ...causes.close };
  const lost = total(lostByCause);
  // Those that were not started, the run having ended first, have no cause of their own.
  const notOpened = failed + asked - started;
  return footed(
    connectBooks,
    { asked, started, opened, notOpened, failed, lost, failedByCause: { ...causes.connect }, lostByCause },
    check(opened, 'opened', open + lost, 'open + lost'),
  );
}

/** The same in sentences. */
export function connectLedgerLines(entries: LedgerEntries): LedgerLines {
  const { of, parts } = readerOf(entries);
  const causes = (name: string): string => causesInWords(entries[name] as Record<string, number> | undefined) || 'none';
  return [
    ['connections', `${of('asked')} asked, ${of('started')} started = ${parts(startedSum)}`],
    ['lost', causes('lostByCause')],
    ['failed', causes('failedByCause')],
  ];
}
