import { expect, it } from 'vitest';
import { goldenResult } from '../../../../test/golden-result.js';
import type { ClientChart } from '../../../measure/declaration.js';
import { latency } from '../../../scenarios/latency.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import type { Report } from '../runs.js';
import { clientCharts } from './memory.js';

const assets = { uplotScript: '', uplotStyle: '', drawScript: '' };

/** Runs of a scenario that draws one chart, whose lines end after so many hundreds. */
function report(...hundreds: readonly number[]): Report {
  const runs = hundreds.map((count, n) => {
    const ledger = { hundreds: count };
    return { label: `run ${n}`, directory: `results/${n}`, result: goldenResult({ ledger }), curves: {} };
  });
  const charts = (entries: Readonly<Record<string, unknown>>): ClientChart[] => {
    const clients = Array.from({ length: Number(entries.hundreds) }, (_, n) => (n + 1) * 100);
    const lines = [{ label: 'p50', values: clients.map((each) => each * 7) }];
    return [{ title: 'Pings', unit: 'ms', clients, lines }];
  };
  const scenario = { ...latency, clientCharts: (_, entries) => charts(entries) } as Scenario;
  return { scenario, runs, difference: '', chosen: '', assets };
}

it('a chart against the number of clients has the lines of every run, each as far as it went', () => {
  const [chart] = clientCharts(report(3, 2));
  expect(chart?.lines.map(({ label, points }) => [label, points])).toEqual([
    ['run 0, p50', { x: [100, 200, 300], y: [700, 1400, 2100] }],
    ['run 1, p50', { x: [100, 200, 300], y: [700, 1400, null] }],
  ]);
  expect(chart?.table.rows).toEqual([
    [100, 700, 700],
    [200, 1400, 1400],
    [300, 2100, null],
  ]);
});

it('is left out where a scenario has none, and for one number of clients', () => {
  expect(clientCharts(report(1))).toEqual([]);
  expect(clientCharts({ ...report(3), scenario: latency as unknown as Scenario })).toEqual([]);
});
