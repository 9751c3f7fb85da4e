import { expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { naming } from '../../../test/refusal.js';
import { visitedOnStage } from '../../../test/stage/visits.js';
import type { Sums } from '../scenario.js';
import { visitLedger } from './ledger.js';

/** Five broadcasts, one of them refused, to seven subscribers and eleven visitors; three deliveries lost. */
const footing = (): Sums => ({
  counts: {
    ...{ attempted: 5, subscribers: 18, unowed: 4, visits: 11, arrived: 7 },
    ...{ visitsEnded: 4, visitsStayed: 2, visitsCut: 1, visitsFailed: 3, visitsUnready: 1, visitsNotDue: 0 },
  },
  causes: { arrive: { reset: 1, 'http-status:503': 2 }, close: { reset: 2 }, visitCut: { reset: 1 } },
  series: {
    acked: Uint32Array.of(1, 1, 0, 1, 1),
    refused: Uint32Array.of(0, 0, 1, 0, 0),
    owed: Uint32Array.of(7, 9, 11, 13, 10),
    delivered: Uint32Array.of(7, 9, 0, 11, 9),
    missing: Uint32Array.of(0, 0, 11, 2, 1),
  },
  timeline: {},
});

it('the ledger expects what was owed of each acked broadcast, and says what came of each visit', async () => {
  const { entries, breaks } = visitLedger.ledger(footing());
  expect(breaks).toEqual([]);
  expect(entries).toMatchObject({ expected: 39, delivered: 36, lost: 3, visits: 11, visitsFailed: 3, unowed: 4 });
  const quiet = (await visitedOnStage().played()).ledger.entries;
  await expectGolden('ledger/visits.txt', {
    'a run with faults': ledgerText(visitLedger.ledgerLines(entries)),
    'a run without': ledgerText(visitLedger.ledgerLines(quiet)),
  });
});

it('breaks where a visit has no end, or one that nobody began', () => {
  const ended = footing();
  ended.counts.visitsEnded = 5;
  expect(visitLedger.ledger(ended).breaks).toEqual([naming('visits 11', 12), naming('arrived 7', 8)]);
  const failed = footing();
  failed.causes.arrive = { reset: 1 };
  expect(visitLedger.ledger(failed).breaks).toEqual([naming('visitsFailed 3', 1)]);
});

it('has nothing of visits in a run without any', () => {
  const { counts: _, ...rest } = footing();
  const { entries } = visitLedger.ledger({ ...rest, counts: { attempted: 5, subscribers: 18 } });
  expect(Object.keys(entries).filter((name) => name.startsWith('visit'))).toEqual([]);
  expect(visitLedger.ledgerLines(entries).map(([label]) => label)).toEqual(['publishes', 'deliveries', 'beside']);
});
