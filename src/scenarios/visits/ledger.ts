import { sumOf } from '../../measure/ledger.js';
import { check, countsOf, ledgerOf, total } from '../books.js';
import { broadcastLedger } from '../broadcasts/ledger.js';

const visitSum = sumOf(['visits', 'visits planned'], {
  visitsEnded: ['left in time', 'good'],
  visitsStayed: ['stayed to the end', 'good'],
  visitsCut: 'cut by the target',
  visitsFailed: 'failed to connect',
  visitsUnready: 'not ready in their time',
  visitsNotDue: 'not due',
});

const counted = ['visits', ...visitSum.parts.map(([part]) => part), 'unowed'];

/** The ledger of broadcasts, with every visit and what came of it where there are visitors. */
export const visitLedger = ledgerOf({
  base: broadcastLedger,
  kinds: {
    given: ['visits', 'visitsNotDue', 'unowed'],
    merit: ['visitsEnded', 'visitsStayed'],
    fault: ['visitsCut', 'visitsFailed', 'visitsUnready'],
  },
  sums: [...broadcastLedger.books.sums, visitSum],
  count(sums) {
    const { entries } = broadcastLedger.ledger(sums);
    const { counts, causes } = sums;
    if (counts.visits === undefined) return { entries };
    const of = countsOf(counts, counted);
    const { visitsEnded = 0, visitsStayed = 0, visitsCut = 0, visitsFailed = 0 } = of;
    const { arrive = {}, visitCut = {} } = causes;
    return {
      entries: { ...entries, ...of, visitsFailedByCause: arrive, visitsCutByCause: visitCut },
      breaks: [
        ...check(counts.arrived ?? 0, 'arrived', visitsEnded + visitsStayed + visitsCut, 'ended + stayed + cut'),
        ...check(visitsFailed, 'visitsFailed', total(arrive), 'the sum of its causes'),
        ...check(visitsCut, 'visitsCut', total(visitCut), 'the sum of its causes'),
      ],
    };
  },
  lines({ of, parts }, entries) {
    const lines = broadcastLedger.ledgerLines(entries);
    if (entries.visits === undefined) return lines;
    const byCause = { visitsCut: 'visitsCutByCause', visitsFailed: 'visitsFailedByCause' };
    const quiet = ['visitsCut', 'visitsFailed', 'visitsUnready', 'visitsNotDue'];
    return [
      ...lines,
      ['visits', `${of('visits')} planned = ${parts(visitSum, byCause, quiet)}`],
      ['at the edges', `${of('unowed')} delivered outside of a visit’s time, owed to nobody`],
    ];
  },
});
