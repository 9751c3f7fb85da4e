import { expect, it } from 'vitest';
import type { Reproduction } from '../../../src/results/published.js';
import { p50sIn } from './cases.js';

it('reads the p50 of each contender that was measured', () => {
  const figures = ['uws', 'socketio', 'anycable'].flatMap((target) =>
    ['delivery.p50', 'delivery.p99'].map((metric) => ({ id: `${target}-${metric}`, target, metric })),
  );
  const rows = figures.map(({ id, target }, at) => ({
    ...{ figure: id, why: '', ratio: null },
    measured: target === 'anycable' ? null : { median: at + 1 },
  }));
  expect(p50sIn({ table: { figures }, rows } as unknown as Reproduction)).toEqual(
    new Map([
      ['uws', [1]],
      ['socketio', [3]],
      ['anycable', []],
    ]),
  );
});
