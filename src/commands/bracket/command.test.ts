import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import type { Comparison } from '../../results/comparison.js';
import { scenarioByName } from '../../scenarios/list.js';
import { significance } from '../diff/significance.js';
import { renderBracket } from './command.js';

const latency = scenarioByName('latency')!;

/** A bracket of runs whose delivery p50 and p99 are the golden ones times these, with the golden publish ack. */
function bracketOf(wire: readonly number[], library: readonly number[]): Comparison {
  const golden = goldenResult();
  const runsOf = (factors: readonly number[]) =>
    factors.map((times) => {
      const { delivery } = golden.metrics;
      const scaled = { ...delivery!, p50: (delivery?.p50 ?? 0) * times, p99: (delivery?.p99 ?? 0) * times };
      return { directory: 'results/one', result: goldenResult({ metrics: { ...golden.metrics, delivery: scaled } }) };
    });
  const rows = [
    { target: 'wire', state: 'ran' as const, why: '', runs: runsOf(wire), figures: [] },
    { target: 'library', state: 'ran' as const, why: '', runs: runsOf(library), figures: [] },
  ];
  const contenders = rows.map(({ target, runs }) => ({ target, runs: runs.map(({ result }) => result) }));
  const { figures, pairs } = significance(latency, contenders, false);
  return {
    schema: 1,
    tool: { name: 'ringside-bench', version: '0.1.0' },
    scenario: 'latency',
    fingerprint: 'dc5a9d213400',
    forced: '',
    repeat: wire.length,
    startedAt: '2026-11-21T09:40:15.682Z',
    rows: rows.map((row, index) => ({ ...row, figures: figures[index] ?? [] })),
    pairs,
    proof: null,
  };
}

const sentences = (wire: readonly number[], library: readonly number[]): string[] =>
  renderBracket(bracketOf(wire, library), latency, { isColored: false, columns: 200 })
    .split('\n')
    .filter((line) => /^(p50|p99|publish|in process): /.test(line));

describe('a bracket for the terminal', () => {
  it('says that both kinds of clients agree, and where the time goes', () => {
    expect(sentences([1, 1.01, 0.99], [1, 1.02, 0.99])).toEqual([
      expect.stringMatching(/^p50: wire and library clients agree within the noise \(wire over library 1\.00 \[/),
      expect.stringMatching(/^p99: wire and library clients agree within the noise/),
      'publish: half of the deliveries arrive 0.142 ms after the publish is answered: the two agree',
      'in process: the target does not report how long its publish call takes',
    ]);
  });

  it('says so loudly when they do not', () => {
    const [p50, p99] = sentences([1, 1.01, 0.99], [3, 3.02, 2.99]);
    expect(p50).toMatch(/^p50: they do NOT agree: library clients measure 1\.49 ms more than wire clients/);
    expect(p99).toMatch(/^p99: they do NOT agree: library clients measure 10\.0 ms more/);
  });

  it('does not call those in agreement that it puts in an order, however near they are', () => {
    const said = sentences([1, 1.001, 0.999], [1.2, 1.201, 1.199])[0];
    expect(said).toMatch(/^p50: library clients measure 0\.149 ms more than wire clients/);
    expect(said).not.toContain('agree');
  });

  it('leaves open what the noise hides, and what too few runs can not tell', () => {
    expect(sentences([1, 2, 0.5], [1, 1.5, 0.7])[0]).toMatch(/^p50: open: noise could hide a factor of/);
    expect(sentences([1], [1])[0]).toBe('p50: too few runs to compare wire and library clients; give --repeat 3');
  });

  it('says when the deliveries come long after the answer', () => {
    expect(sentences([9, 9.1, 8.9], [9, 9.1, 8.9]).at(-2)).toMatch(
      /^publish: half of the deliveries arrive 6\.09 ms after the publish is answered or later/,
    );
  });
});
