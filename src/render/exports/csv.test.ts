import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenResult } from '../../../test/golden-result.js';
import { createHistogram, recordSorted } from '../../measure/samples/histogram.js';
import type { Samples } from '../../measure/samples/samples.js';
import { samplesCsv, timelineCsv } from './csv.js';

const raw = (...values: number[]): Samples => ({ kind: 'raw', values: Uint32Array.from(values) });

async function csvOf(samples: Record<string, Samples>): Promise<string[]> {
  const metrics = Object.keys(samples);
  const pieces = samplesCsv({ metrics, samples: async (metric) => samples[metric]! });
  const texts: string[] = [];
  for await (const piece of pieces) texts.push(piece);
  return texts;
}

describe('samples as CSV', () => {
  it('are a row each', async () => {
    const text = (await csvOf({ delivery: raw(211, 743, 743, 41_011), publishAck: raw(), connect: raw(7) })).join('');
    expect(text).toBe('metric,us\ndelivery,211\ndelivery,743\ndelivery,743\ndelivery,41011\nconnect,7\n');
  });

  it('come in pieces, and read back are all there', async () => {
    const values = Uint32Array.from({ length: 70_001 }, (_, index) => index * 3);
    const pieces = await csvOf({ delivery: { kind: 'raw', values } });
    expect(pieces.length).toBeGreaterThan(3);
    const rows = parse(pieces.join(''), { columns: true }) as { metric: string; us: string }[];
    expect(Uint32Array.from(rows, ({ us }) => Number(us))).toEqual(values);
  });

  it('of a histogram stand at the far edge of their bucket', async () => {
    const histogram = createHistogram();
    recordSorted(histogram, Uint32Array.of(3, 3, 1_000_003));
    const rows = parse((await csvOf({ delivery: { kind: 'histogram', histogram } })).join(''), { from_line: 2 });
    expect(rows).toEqual([
      ['delivery', '3'],
      ['delivery', '3'],
      ['delivery', String(histogram.highestEquivalentValue(1_000_003))],
    ]);
  });
});

describe('what is kept over time as CSV', () => {
  const kept = goldenResult();

  it('is a row for each point', async () => {
    await expectGolden('timeline-csv.txt', { 'a run': [...timelineCsv({ kept })].join('') });
  });

  it('says which clock stamped a point, and at which end of its span only where that is known', () => {
    const cpu = { source: 'railway', name: 'cpuPercent', unit: 'percent', clock: 'foreign' } as const;
    const observations = [{ ...cpu, points: [{ atMs: 30_011, value: 211 }] }];
    const text = [...timelineCsv({ kept: goldenResult({ environment: { ...kept.environment, observations } }) })].join(
      '',
    );
    expect(text.trimEnd().split('\n').at(-1)).toBe('railway,,cpuPercent,percent,30011,,foreign,211');
  });

  it('read back has every point, each on the axis of the observations', () => {
    const rows = parse([...timelineCsv({ kept })].join(''), { columns: true, cast: true }) as Record<string, unknown>[];
    const { gauges, observations, timeline, loadAtMs } = kept.environment;
    const points = [...gauges, ...observations].flatMap(({ source, name, unit, points: all, ...more }) =>
      all.map((point) => ({
        source,
        process: Number('process' in more ? more.process : 0) || '',
        name,
        unit,
        edge: 'end',
        clock: 'own',
        ...point,
      })),
    );
    expect(rows).toEqual(expect.arrayContaining(points));
    const opened = rows.filter(({ source, name }) => source === 'run' && name === 'opened');
    expect(opened.map(({ value }) => value)).toEqual(timeline.opened);
    expect(opened.map(({ atMs }) => atMs)).toEqual([loadAtMs, loadAtMs + 1000]);
  });
});
