import { it } from 'vitest';
import { expectGolden } from '../../../../test/golden.js';
import type { Holds } from '../../../measure/statement.js';
import { terminalText } from '../../../render/document/terminal.js';
import type { FindingPoint, FindResult } from '../../../results/search.js';
import { findDocument } from './print.js';

const plain = { isColored: false, columns: 100 };

/** A run of the search, whose p99 keeps the limit of 53 ms or not. */
const point = (ratePerSecond: number, figure: number | null, more: Partial<FindingPoint> = {}): FindingPoint => {
  const holds: Holds = figure !== null && figure < 53_000 ? 'yes' : 'no';
  return {
    ...{ ratePerSecond, figure, leastUs: figure, durationMs: 5000, holds, why: [] },
    signs: holds === 'no' ? [{ sign: 'limit', text: 'it broke the limit' }] : [],
    ...{ rig: 'clean', stop: 'completed', directory: `results/${ratePerSecond}` },
    ...more,
  };
};

const found = (points: FindingPoint[], more: Partial<FindResult> = {}): string => {
  const finding: FindResult = {
    ...{ schema: 2, tool: { name: 'ringside-bench', version: '0.1.0' }, scenario: 'connect', target: 'ws' },
    ...{ startedAt: '2026-11-21T09:40:15.682Z', kind: 'finding' },
    ...{ metric: 'handshake', percentile: 'p99', unit: 'us', limit: 53_000, repeat: 3, durationMs: 5000 },
    ...{ answer: 'found', why: [], interval: [1006, 2012], endedBecause: '', points },
    ...more,
  };
  return terminalText(findDocument(finding), plain);
};

const undecided = (why: string[], interval: FindResult['interval'], endedBecause = ''): Partial<FindResult> => ({
  ...{ answer: 'undecided', why, interval, endedBecause },
});

const kept = [point(503, 7013), point(1006, 31_013)];
const broken = point(2012, 97_003);
const starved = 'target-starved: other programs held the cores of the target';

it('says between which rates the threshold breaks, in its golden file', async () => {
  const grows = { holds: 'no' as const, signs: [{ sign: 'backlog-grows', text: 'deliveries came 62.1 ms later' }] };
  const refused = { ...grows, signs: [{ sign: 'ended', text: 'refused by target' }], stop: 'refused' as const };
  const few = { signs: [{ sign: 'limit', text: 'too few samples for that percentile' }] };
  const doubtful = { holds: 'open' as const, why: [starved], leastUs: 47_009 };
  const beyond = '29,000 clients need 29,100 descriptors, and the shard has 20,000';
  await expectGolden('find.txt', {
    'both edges': found([...kept, broken, point(1422.7, 61_001)], { interval: [1196.3, 1422.7] }),
    'one run at each end': found([...kept, broken], { repeat: 1 }),
    'kept while the backlog grows': found([...kept, point(2012, 31_013, grows)]),
    'kept at every rate': found(kept, { answer: 'keptAtAll', interval: [1006, null], endedBecause: beyond }),
    'broken at every rate': found([point(6.1424, 61_001), point(3.0712, null, { ...few, durationMs: 97_000 })], {
      answer: 'brokenAtAll',
      interval: [null, 3.0712],
    }),
    'refused clients': found([...kept, point(2012, 97_003, refused)]),
    'doubtful at an edge': found(
      [...kept, point(2012, 97_003, doubtful), point(2012, 97_003, { ...doubtful, leastUs: 0 })],
      undecided([`the runs at 2010/s take no side: ${starved}`], [1006, 2012]),
    ),
    'out of order': found(
      [...kept, broken, point(4024, 31_013)],
      undecided(['4020/s kept the threshold in 3 of 3 runs, and 2010/s broke it in 3 of 3 runs'], [1006, null]),
    ),
    'past a limit': found(kept, {
      ...{ answer: 'limitPassed', interval: [1006, null], endedBecause: 'threads.max>900 came true at 1006/s: 951' },
    }),
    interrupted: found(kept, undecided(['interrupted'], [1006, null], 'interrupted')),
    'nobody at the address': found(
      [point(503, null, { holds: 'open', signs: [], why: ['connect-refused × 7'], stop: 'targetUnreachable' })],
      undecided(['target unreachable: connect-refused × 7'], [null, null], 'target unreachable: connect-refused × 7'),
    ),
    'interrupted before the first run': found([], undecided(['interrupted'], [null, null], 'interrupted')),
  });
});
