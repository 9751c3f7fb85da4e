import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../../test/golden-result.js';
import { scenarioByName } from '../../../scenarios/list.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import type { Report } from '../runs.js';
import { memoryCharts } from './memory.js';

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
  return { scenario: scenarioByName('idle') as Scenario, runs, difference: '', chosen: '', assets };
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
