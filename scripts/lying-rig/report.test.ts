import { describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { goldenResult } from '../../test/golden-result.js';
import { isReversed, sideBySide } from './report.js';

const load = { target: 'uws', subscribers: 10_007, broadcasts: 23 };
const style = { isColored: false, columns: 100 };

/** A run whose p50 is marked by a rule, stands, or is void. */
function run(
  said: 'clean' | 'marked' | 'void',
  p50: number | null,
  more: { least?: number; interval?: [number, number] } = {},
) {
  const golden = goldenResult();
  const { delivery } = golden.metrics;
  if (!delivery) throw new Error('the golden result has no deliveries');
  const intervals = more.interval ? { p50: more.interval } : {};
  const least = more.least === undefined ? {} : { deliveryAtLeast: { ...delivery, p50: more.least } };
  const mark = { rule: 'receive-lag', metric: 'delivery', figure: 'p50' as const, leastUs: 61_000, text: 'it waited' };
  const doubts = said === 'marked' ? { doubts: [mark] } : {};
  return goldenResult({
    metrics: { ...golden.metrics, delivery: { ...delivery, p50, intervals }, ...least },
    verdict: { rig: said === 'void' ? said : 'clean', evidence: [], ...doubts },
  }) satisfies RunResult;
}

const starved = run('marked', 239_000, { least: 61_000, interval: [223_000, 251_000] });
const roomy = run('clean', 59_000, { interval: [53_000, 67_000] });
const lastLines = (...runs: [RunResult, RunResult]) =>
  sideBySide(load, ...runs, style)
    .split('\n\n')
    .at(-1);

it.each([
  ['marked', 59_000, 'clean', true],
  ['marked', 59_000, 'marked', true],
  ['marked', 239_001, 'clean', true],
  ['marked', 239_000, 'marked', false],
  ['marked', 239_001, 'marked', false],
  ['marked', 59_000, 'void', false],
  ['marked', null, 'marked', false],
  ['clean', 59_000, 'clean', false],
  ['void', 59_000, 'clean', false],
] as const)('one loop %s with 239 ms, the other rig %d us and %s: %s', (first, p50, second, shows) => {
  expect(isReversed(run(first, 239_000), run(second, p50))).toBe(shows);
});

describe('sideBySide', () => {
  it('shows both rigs, their evidence and what follows', () => {
    expect(sideBySide(load, starved, roomy, style)).toMatchInlineSnapshot(`
      "23 broadcasts to 10,007 subscribers of uws, measured by two rigs

                           2 loops, wire clients  2 loops, wire clients
      delivery p50                        239 ms                59.0 ms
      delivery max                       41.0 ms                41.0 ms
      deliveryAtLeast p50                61.0 ms                      –
      publishAck p50                    0.601 ms               0.601 ms
      verdict on p50                      marked                  clean

      2 loops, wire clients: marked
        receive-lag: it waited
      2 loops, wire clients: clean

      The same load on a rig with room: p50 fell from 239 ms to 59.0 ms.
      The rig, not the server, caused 180 ms (75 %) of the p50 of the single loop.
      The single loop said: between 61.0 ms and 239 ms.
      Ringside marked the p50 of the single loop, not that of the second rig."
    `);
  });

  it('blames nothing on the rig that chance may have caused', () => {
    expect(lastLines(starved, run('clean', 59_000, { interval: [53_000, 223_000] }))).toContain('may be chance');
    expect(lastLines(starved, run('clean', 59_000))).toContain('may be chance');
  });

  it('says why the reversal did not show', () => {
    const texts = [
      lastLines(run('void', 239_000), roomy),
      lastLines(run('clean', 239_000), roomy),
      lastLines(starved, run('marked', 241_000)),
      lastLines(starved, run('clean', 241_000)),
      lastLines(starved, run('clean', null)),
    ];
    expect(new Set(texts).size).toBe(5);
    expect(texts.join()).not.toMatch(/null|NaN|undefined/);
  });
});
