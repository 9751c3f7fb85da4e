import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../../test/golden-result.js';
import { scenarioCalled } from '../../../../test/scenarios.js';
import type { ClientChart } from '../../../measure/declaration.js';
import { latency } from '../../../scenarios/latency.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import type { Report } from '../runs.js';
import { clientCharts, memoryCharts } from './memory.js';

const mib = 2 ** 20;
const loadAtMs = 1709;
const bytesPerConnection = 5021;

/** A ramp of 503 a second for seven seconds, then quiet, of a target whose memory follows it exactly. */
function report(hasFootprint: boolean): Report {
  const { environment } = goldenResult();
  const openAt = (second: number): number => 503 * Math.min(7, Math.max(0, second));
  const points = Array.from({ length: 11 }, (_, second) => ({
    atMs: loadAtMs + second * 1000,
    value: 60 * mib + bytesPerConnection * openAt(second),
  }));
  const result = goldenResult({
    environment: {
      ...environment,
      loadAtMs,
      timeline: { opened: Array<number>(7).fill(503) },
      observations: [{ source: 'proc', name: 'rssBytes', unit: 'bytes', process: '7', points }],
      footprint: hasFootprint ? { bytesPerConnection, errorBytes: 100, points: 7 } : null,
    },
  });
  const assets = { uplotScript: '', uplotStyle: '', drawScript: '' };
  const runs = [{ label: 'ws', directory: 'results/ws', result, curves: {} }];
  return { scenario: scenarioCalled('idle'), runs, difference: '', chosen: '', assets };
}

describe('memory per connection', () => {
  it('shows the readings of the ramp, and the line of its slope through their middle, with its error', () => {
    const [chart] = memoryCharts(report(true));
    const [readings, fit] = chart?.lines ?? [];
    if (!readings || !fit || 'curve' in readings.points || 'curve' in fit.points) throw new Error('no lines');
    expect(readings.points.x).toEqual([0, 503, 1006, 1509, 2012, 2515, 3018]);
    expect(fit.points.x).toEqual([0, 3018]);
    expect(fit.points.y[0]).toBeCloseTo(60, 6);
    expect(fit.points.y[1]).toBeCloseTo(60 + (3018 * bytesPerConnection) / mib, 6);
    expect(chart?.summary).toMatch(/^5,021 ± 257 bytes per connection .* 7 readings/);
    expect(chart?.table.rows).toHaveLength(7);
  });

  it('is not drawn where there was too little to fit', () => {
    expect(memoryCharts(report(false))).toEqual([]);
  });
});

const assets = { uplotScript: '', uplotStyle: '', drawScript: '' };

/** Runs of a scenario that draws one chart, whose lines end after so many hundreds. */
function clientReport(...hundreds: readonly number[]): Report {
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
  const [chart] = clientCharts(clientReport(3, 2));
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
  expect(clientCharts(clientReport(1))).toEqual([]);
  expect(clientCharts({ ...clientReport(3), scenario: latency as unknown as Scenario })).toEqual([]);
});
