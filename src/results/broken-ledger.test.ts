import { expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { goldenComparison, goldenRun, latency } from '../../test/kept-golden.js';
import { naming } from '../../test/refusal.js';
import { ledgerBreaks, withLedgersChecked } from './broken-ledger.js';
import type { RunResult } from './result.js';

/** A run that lost 7 of its deliveries, of which both shards together timed half. */
function lossy(ledger: Record<string, number> = {}): RunResult {
  const golden = goldenResult();
  const losses = { ...golden.ledger, expected: 203_212, delivered: 203_205, lost: 7 };
  const metrics = Object.entries(golden.metrics).map(([name, metric]) => {
    const isLossy = latency.metrics[name]?.unfinished !== undefined;
    return [name, isLossy ? { ...metric, unfinished: Math.ceil((7 * metric.count) / 203_205) } : metric];
  });
  return { ...golden, ledger: { ...losses, ...ledger }, metrics: Object.fromEntries(metrics) };
}

const checked = (run: RunResult): RunResult => withLedgersChecked(run, latency);

it('a kept run is what it says where its counts add up', () => {
  for (const run of [goldenResult(), lossy()]) expect(checked(run)).toEqual(run);
});

it('a kept run is void where they do not, with each sum that is off', () => {
  const edited = checked(lossy({ lost: 0 }));
  expect(edited.verdict).toMatchObject({ rig: 'void', evidence: [{ rule: 'ledger-broken', level: 'void' }] });
  expect(ledgerBreaks(edited)).toEqual([naming('expected 203212', 'delivered + lost = 203205')]);
  expect(ledgerBreaks(checked(lossy({ acked: 1005 })))).toEqual([naming('attempted 1006', '1005')]);
});

it('a kept run is void, too, where several counts were edited so that their sum comes out', () => {
  expect(ledgerBreaks(checked(lossy({ delivered: 203_212, lost: 0 })))).toEqual([naming('delivery', 'lost')]);
});

it('a kept run of an earlier version without some count has fewer sums', () => {
  const { refused: _, ...ledger } = goldenResult().ledger;
  expect(checked(goldenResult({ ledger })).verdict.rig).toBe('clean');
});

it('a kept run says once what the run itself had found', () => {
  const evidence = [{ rule: 'ledger-broken', level: 'void' as const, text: 'lost 7 is not 0' }];
  const run = lossy({ lost: 0 });
  const found = checked({ ...run, verdict: { rig: 'void', evidence } });
  expect(ledgerBreaks(found)).toEqual(['ledger-broken: lost 7 is not 0']);
});

it('a run inside a comparison is checked like one by itself', () => {
  const edited = goldenRun('ws', 1, { ledger: { ...goldenResult().ledger, lost: 1 } });
  const { rows } = withLedgersChecked(goldenComparison([goldenRun('ws', 1), edited]), latency);
  expect(rows[0]?.runs.map(({ result }) => result.verdict.rig)).toEqual(['clean', 'void']);
});
