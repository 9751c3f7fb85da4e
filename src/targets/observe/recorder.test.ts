import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { type Series, seriesSchema } from '../../measure/series.js';
import { SeriesRecorder } from './observe.js';
import type { Reading } from './source.js';

const rss = (value: number, process?: string): Reading => ({ name: 'rssBytes', value, process });

describe('a recorder', () => {
  it('keeps a series for each metric and process, with the unit of the table', () => {
    const recorder = new SeriesRecorder({ source: 'proc', reads: [] });
    recorder.take(0, {
      endings: [],
      values: [rss(11, '7'), rss(13, '17'), { name: 'threads', value: 3, process: '7' }],
    });
    recorder.take(1009, { endings: [], values: [rss(19, '7')] });
    expect(recorder.series).toEqual([
      {
        source: 'proc',
        name: 'rssBytes',
        unit: 'bytes',
        process: '7',
        points: [
          { atMs: 0, value: 11 },
          { atMs: 1009, value: 19 },
        ],
      },
      { source: 'proc', name: 'rssBytes', unit: 'bytes', process: '17', points: [{ atMs: 0, value: 13 }] },
      { source: 'proc', name: 'threads', unit: 'count', process: '7', points: [{ atMs: 0, value: 3 }] },
    ]);
  });

  it('ends one process, or one metric of it, and leaves the others', () => {
    const recorder = new SeriesRecorder({ source: 'proc', reads: [] });
    const threads = (process: string): Reading => ({ name: 'threads', value: 2, process });
    recorder.take(0, { endings: [], values: ['7', '17', '23'].flatMap((pid) => [rss(11, pid), threads(pid)]) });
    const endings = [
      { process: '7', because: 'process 7 is gone' },
      { process: '17', name: 'rssBytes', because: 'EACCES' } as const,
      { process: '23', name: 'pssBytes', because: 'EACCES' } as const,
    ];
    recorder.take(1009, { endings, values: [threads('17'), rss(13, '23')] });
    const ends = recorder.series.map(({ name, process, points, endedBecause }) => [
      `${name} ${process}`,
      points.length,
      endedBecause,
    ]);
    expect(ends).toEqual([
      ['rssBytes 7', 1, 'process 7 is gone'],
      ['threads 7', 1, 'process 7 is gone'],
      ['rssBytes 17', 1, 'EACCES'],
      ['threads 17', 2, undefined],
      ['rssBytes 23', 2, undefined],
      ['threads 23', 1, undefined],
      ['pssBytes 23', 0, 'EACCES'],
    ]);
  });

  it('tells the latest values of series that go on and are fresh', () => {
    const recorder = new SeriesRecorder({ source: 'proc', reads: [] });
    recorder.take(101, { endings: [], values: [rss(11, '7'), rss(13, '17'), rss(19, '23')] });
    recorder.take(211, { endings: [{ process: '17', because: 'gone' }], values: [rss(29, '7')] });
    expect(recorder.latest('rssBytes', 0)).toEqual([29, 19]);
    expect(recorder.latest('rssBytes', 102)).toEqual([29]);
    expect(recorder.latest('rssBytes', 212)).toEqual([]);
    expect(recorder.latest('pssBytes', 0)).toEqual([]);
  });

  it('loses no value and adds none, and gives no series a point after its end, whatever happens', () => {
    const step = fc.oneof(
      fc.record({ process: fc.constantFrom('7', '17'), value: fc.nat() }),
      fc.constant('fail' as const),
      fc.constant('gone' as const),
    );
    law(fc.array(step, { maxLength: 47 }), (steps) => {
      const recorder = new SeriesRecorder({ source: 'proc', reads: ['rssBytes'] });
      const endedAt = new Map<Series, number>();
      const given: number[] = [];
      steps.forEach((each, index) => {
        if (each === 'fail') recorder.fail('failed');
        else if (each === 'gone') recorder.take(index, { endings: [{ process: '7', because: 'gone' }], values: [] });
        else {
          recorder.take(index, { endings: [], values: [rss(each.value, each.process)] });
          given.push(each.value);
        }
        for (const series of recorder.series)
          if (series.endedBecause !== undefined && !endedAt.has(series)) endedAt.set(series, index);
      });
      const points = recorder.series.flatMap((series) => series.points);
      expect(points.sort((a, b) => a.atMs - b.atMs).map(({ value }) => value)).toEqual(given);
      for (const [series, index] of endedAt) expect(series.points.every(({ atMs }) => atMs < index)).toBe(true);
      for (const series of recorder.series) expect(seriesSchema.parse(series)).toEqual(series);
    });
  });
});
