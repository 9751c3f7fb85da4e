import { it } from 'vitest';
import { expectGolden } from '../../../../test/golden.js';
import { renderFinding } from './print.js';
import type { Finding, FindingPoint } from './schema.js';

const plain = { isColored: false, columns: 100 };

/** A run of the search, whose p99 keeps the limit of 53 ms or not. */
const point = (ratePerSecond: number, figure: number | null, more: Partial<FindingPoint> = {}): FindingPoint => ({
  ...{ ratePerSecond, figure, isKept: figure !== null && figure < 53_000, why: '' },
  ...{ rig: 'clean', stop: 'completed', directory: `results/${ratePerSecond}` },
  ...more,
});

const found = (
  points: FindingPoint[],
  [highestKept, lowestBroken]: [number | null, number | null],
  endedBecause = '',
): string => {
  const finding: Finding = {
    ...{ schema: 1, tool: { name: 'ringside-bench', version: '0.1.0' }, scenario: 'connect', target: 'ws' },
    ...{ metric: 'handshake', percentile: 'p99', unit: 'us', limit: 53_000 },
    ...{ highestKept, lowestBroken, endedBecause, points },
  };
  return renderFinding(finding, plain);
};

const kept = [point(503, 7013), point(1006, 31_013)];
const doubled = point(2012, 97_003);

it('says between which rates the threshold breaks, in its golden file', async () => {
  const few = point(3.0712, null, { why: 'too few samples for that percentile' });
  const refused = point(2012, 97_003, { isKept: false, why: 'refused by target', stop: 'refused' });
  const unreachable = { stop: 'targetUnreachable' as const, why: 'target unreachable', rig: 'void' as const };
  await expectGolden('find.txt', {
    'both edges': found([...kept, doubled, point(1422.7, 61_001), point(1196.3, 47_009)], [1196.3, 1422.7]),
    'kept at every rate': found(kept, [1006, null], 'connect does not take a rate of 2012/s'),
    'broken at every rate': found([point(6.1424, 61_001), few], [null, 3.0712]),
    'refused clients': found([...kept, refused], [1006, 2012]),
    'limited at an edge': found([...kept, { ...doubled, rig: 'limited' }], [1006, 2012]),
    'undecided at an edge': found([...kept, { ...doubled, undecidedFromUs: 47_009 }], [1006, 2012]),
    'void at an edge': found([...kept, point(2012, 31_013, { rig: 'void', isKept: false })], [1006, 2012]),
    'limited elsewhere': found([point(503, 7013, { rig: 'limited' }), point(1006, 31_013), doubled], [1006, 2012]),
    interrupted: found([...kept, doubled], [1006, 2012], 'interrupted'),
    'nobody at the address': found(
      [point(503, null, unreachable)],
      [null, null],
      'target unreachable: connect-refused × 7',
    ),
    'interrupted before the first run': found([], [null, null], 'interrupted'),
  });
});
