import { expect, it } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { expectGolden } from '../../test/golden.js';
import { goldenResult } from '../../test/golden-result.js';
import { isReversed, sideBySide } from './lying-rig.js';

const load = { target: 'uws', clients: 10_007, broadcasts: 23 };
const style = { isColored: false, columns: 100 };

/** A run whose p50 is marked by a rule, stands, or is void. */
function run(said: 'clean' | 'bounded' | 'void', p50: number | null, leastUs?: number) {
  const golden = goldenResult();
  const { delivery } = golden.metrics;
  if (!delivery) throw new Error('the golden result has no deliveries');
  const least = leastUs === undefined ? {} : { deliveryAtLeast: { ...delivery, p50: leastUs } };
  const mark = { rule: 'receive-lag', metric: 'delivery', figure: 'p50' as const, leastUs: 61_000, text: 'it waited' };
  const bounds = said === 'bounded' ? { bounds: [mark] } : {};
  return goldenResult({
    metrics: { ...golden.metrics, delivery: { ...delivery, p50 }, ...least },
    verdict: { rig: said === 'void' ? said : 'clean', evidence: [], ...bounds },
  }) satisfies RunResult;
}

const starved = run('bounded', 239_000, 61_000);
const roomy = run('clean', 59_000);
const lastLines = (...runs: [RunResult, RunResult]): string =>
  sideBySide(load, ...runs, style)
    .split('\n\n')
    .at(-1) ?? '';

it.each([
  ['bounded', 59_000, 'clean', true],
  ['bounded', 59_000, 'bounded', true],
  ['bounded', 239_001, 'clean', true],
  ['bounded', 239_000, 'bounded', false],
  ['bounded', 239_001, 'bounded', false],
  ['bounded', 59_000, 'void', false],
  ['bounded', null, 'bounded', false],
  ['clean', 59_000, 'clean', false],
  ['void', 59_000, 'clean', false],
] as const)('one loop %s with 239 ms, the other rig %d us and %s: %s', (first, p50, second, shows) => {
  expect(isReversed(run(first, 239_000), run(second, p50))).toBe(shows);
});

it('both rigs, their evidence and what follows from them', async () => {
  await expectGolden('lying-rig.txt', {
    'the rig caused it': sideBySide(load, starved, roomy, style),
    'the single loop is void': lastLines(run('void', 239_000), roomy),
    'one loop is enough': lastLines(run('clean', 239_000), roomy),
    'both are marked': lastLines(starved, run('bounded', 241_000)),
    'too few samples': lastLines(starved, run('clean', null)),
  });
});
