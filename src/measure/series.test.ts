import { expect, it } from 'vitest';
import { gaugeTogether, metricTable, seriesSchema } from './series.js';

it('adds up what processes have each, and takes the worst of what they suffer each', () => {
  expect(gaugeTogether('rssBytes', [7, 11, 13])).toBe(31);
  expect(gaugeTogether('busiestThreadPercent', [7, 97, 13])).toBe(97);
  expect(gaugeTogether('connections', [])).toBeUndefined();
});

it('says of what the kernel counts for the whole host that it does', () => {
  const ofHost = ['memAvailableBytes', 'coreBusyPercent', 'acceptQueueOverflowsPerSecond'] as const;
  for (const name of ofHost) expect(metricTable[name].means).toMatch(/^host: /);
});

it('refuses a series with a value that is no number, or from an unknown source', () => {
  const good = { source: 'proc', name: 'rssBytes', unit: 'bytes', points: [{ atMs: 7, value: 11 }] };
  expect(seriesSchema.parse(good)).toEqual(good);
  expect(seriesSchema.safeParse({ ...good, points: [{ atMs: 7, value: Number.NaN }] }).success).toBe(false);
  expect(seriesSchema.safeParse({ ...good, source: 'rumour' }).success).toBe(false);
});
