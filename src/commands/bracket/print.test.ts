import { expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenResult } from '../../../test/golden-result.js';
import { latency, limited, voided } from '../../../test/kept-golden.js';
import { significance } from '../../experiment/significance.js';
import { terminalText } from '../../render/document/terminal.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import type { RunResult } from '../../results/result.js';
import { agreementOf, bracketDocument } from './print.js';

type Runs = ComparisonRow['runs'];

const golden = goldenResult();
const row = (target: string, runs: Runs): ComparisonRow => ({ target, state: 'ran', why: '', runs, figures: [] });

/** Runs whose delivery p50 and p99 are the golden ones times each factor, with the golden publish ack. */
function runsOf(factors: readonly number[], more: Partial<RunResult> = {}): Runs {
  return factors.map((times) => {
    const { delivery } = golden.metrics;
    const scaled = { ...delivery!, p50: (delivery?.p50 ?? 0) * times, p99: (delivery?.p99 ?? 0) * times };
    const metrics = { ...golden.metrics, delivery: scaled, ...more.metrics };
    return { directory: 'results/one', result: goldenResult({ ...more, metrics }) };
  });
}

function bracketOf(wire: Runs, library: Runs): Comparison {
  const rows = [row('wire', wire), row('library', library)];
  const { figures, pairs } = significance(
    latency,
    rows.map(({ target, runs }) => ({ target, runs: runs.map(({ result }) => result) })),
    false,
  );
  return {
    ...{ schema: 2, tool: { name: 'ringside-bench', version: '0.1.0' }, scenario: 'latency', kind: 'comparison' },
    ...{ fingerprint: 'dc5a9d213400', forced: '', startedAt: '2026-11-21T09:40:15.682Z', proof: null, repeat: 3 },
    ...{ pairs, rows: rows.map((each, index) => ({ ...each, figures: figures[index] ?? [] })) },
  };
}

const text = (wire: Runs, library: Runs): string =>
  terminalText(bracketDocument(bracketOf(wire, library), latency), { isColored: false, columns: 200 });
const agreementsOf = (wire: readonly number[], library: readonly number[]) => {
  const { pairs, rows } = bracketOf(runsOf(wire), runsOf(library));
  const [a, b] = rows.map(({ figures }) => figures.find(({ column }) => column === 'p50')!.median);
  return pairs.filter(({ column }) => column === 'p50').map((pair) => agreementOf(pair, b! - a!));
};

const steady = [1, 1.01, 0.99];
const nearly = [1.2, 1.201, 1.199];
const thrice = [3, 3.02, 2.99];

it('says whether both kinds of clients agree, in its golden file', async () => {
  const publishInTarget = { ...golden.metrics.publishAck!, p50: 211 };
  const stopped = { verdict: voided, stop: { code: 'interrupted' as const, evidence: [] } };
  await expectGolden('bracket.txt', {
    'they agree': text(runsOf(steady, { metrics: { publishInTarget } }), runsOf([1, 1.02, 0.99])),
    'a difference that two loops can make': text(runsOf([1, 1.001, 0.999]), runsOf(nearly)),
    'they do not agree': text(runsOf(steady), runsOf(thrice)),
    'much noise': text(runsOf([1, 2, 0.5]), runsOf([1, 1.5, 0.7])),
    'deliveries long after the publish ack': text(runsOf([9, 9.1, 8.9]), runsOf([9, 9.1, 8.9])),
    limited: text(runsOf(steady), runsOf(steady, { verdict: limited })),
    void: text(runsOf(steady), runsOf(steady, { verdict: voided })),
    interrupted: text([...runsOf([1]), ...runsOf([1], stopped)], runsOf([1])),
    'nothing ran': text([], []),
  });
});

it('puts a difference beyond noise in an order, however small it is', () => {
  expect(agreementsOf(steady, [1, 1.02, 0.99])).toEqual([{ holds: 'yes' }]);
  expect(agreementsOf([1, 1.001, 0.999], nearly)).toEqual([{ holds: 'open', because: 'rig' }]);
  expect(agreementsOf(steady, thrice)).toEqual([{ holds: 'no' }]);
  expect(agreementsOf([1, 2, 0.5], [1, 1.5, 0.7])).toEqual([{ holds: 'open', because: 'chance' }]);
  expect(agreementsOf([1], [1])).toEqual([]);
});
