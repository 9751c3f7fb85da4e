import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ShardSecond } from '../../contract/shard.js';
import type { GaugeName, GaugeSeries } from '../../results/progress.js';
import { pointsAtMost, ShardTimeline } from './shard-timeline.js';

const none = (): number => 0;

const second = (atMs: number, progress: Record<string, number>, loopDelayMs = 1): ShardSecond => ({
  atMs,
  progress,
  rig: { loopDelayMs, cpuCores: 0.5, rssBytes: 150_000_000 },
});

function courseOf(seconds: readonly ShardSecond[]): ShardTimeline {
  const course = new ShardTimeline();
  course.take(seconds);
  return course;
}

const pointsOf = (series: readonly GaugeSeries[], name: GaugeName) =>
  series.find((each) => each.name === name)?.points ?? [];

/** What rates add up to over the time of their points. */
const integral = (points: readonly { atMs: number; value: number }[]): number =>
  points.reduce((sum, { atMs, value }, n) => sum + (value * (atMs - (points[n - 1]?.atMs ?? atMs))) / 1000, 0);

it('the course of a shard has a point a second on the axis of the result, rates over the time between them', () => {
  const course = courseOf([
    second(1000, { subscribers: 7, received: 0, published: 0, acked: 0 }),
    second(2000, { subscribers: 7, received: 70, published: 11, acked: 11 }, 13),
    second(4000, { subscribers: 6, received: 77, published: 11, acked: 11 }),
  ]);
  const series = course.series(1, 211, (atMs) => course.ackedAt(atMs), undefined);
  expect(new Set(series.map(({ source }) => source))).toEqual(new Set(['shard 1']));
  const at = (name: GaugeName) => pointsOf(series, name).map(({ atMs, value }) => [atMs, value]);
  expect(at('open')).toEqual([
    [211, 0],
    [1211, 7],
    [2211, 7],
    [4211, 6],
  ]);
  expect(at('deliveriesPerSecond')).toEqual([
    [211, 0],
    [1211, 0],
    [2211, 70],
    [4211, 3.5],
  ]);
  expect(at('publishesPerSecond')).toEqual([
    [211, 0],
    [1211, 0],
    [2211, 11],
    [4211, 0],
  ]);
  // What is owed to a client that was cut stays owed.
  expect(at('backlog')).toEqual([
    [211, 0],
    [1211, 0],
    [2211, 7],
    [4211, 0],
  ]);
  expect(at('loopDelayMs')).toEqual([
    [1211, 1],
    [2211, 13],
    [4211, 1],
  ]);
  expect(at('cpuCores')).toEqual([
    [1211, 0.5],
    [2211, 0.5],
    [4211, 0.5],
  ]);
});

it('the course of a shard has no backlog where visitors come and go: no fixed number is owed a broadcast', () => {
  const course = courseOf([second(1000, { subscribers: 7, visitors: 3, received: 11, published: 2, acked: 2 })]);
  expect(pointsOf(course.series(0, 0, none, undefined), 'backlog')).toEqual([]);
  expect(course.latest(none).backlog).toBeUndefined();
});

it('the course of a shard has the time that was stolen in each second, from the first that tells of it', () => {
  const stolen = (atMs: number, stolenShare?: number): ShardSecond => {
    const plain = second(atMs, {});
    return stolenShare === undefined ? plain : { ...plain, rig: { ...plain.rig, stolenShare } };
  };
  const told = courseOf([stolen(1000, 0.25), stolen(2000, 0.5), stolen(4000, 0)]).series(0, 0, none, undefined);
  expect(pointsOf(told, 'stolenPercent').map(({ value }) => value)).toEqual([25, 50, 0]);
  const untold = courseOf([stolen(1000), stolen(2000)]).series(0, 0, none, undefined);
  expect(pointsOf(untold, 'stolenPercent')).toEqual([]);
});

it('the course of a shard leaves out who has no network, and takes the word of workers for what they await', () => {
  const course = courseOf([second(1000, { subscribers: 7, offline: 3, sent: 13, received: 11, awaited: 2 })]);
  expect(course.latest(none)).toMatchObject({ open: 4, publishesPerSecond: 13, backlog: 2 });
});

it('the course of a shard says why it ended', () => {
  const series = courseOf([second(1000, {})]).series(0, 0, none, 'no answer for 5003 ms');
  for (const { endedBecause } of series) expect(endedBecause).toBe('no answer for 5003 ms');
});

it('the course of a shard does not make a rate of what the end left of the last second', () => {
  const course = courseOf([
    second(1000, { received: 0 }),
    second(2000, { received: 100 }),
    second(2003, { received: 130 }, 9),
  ]);
  const series = course.series(0, 0, none, undefined);
  expect(pointsOf(series, 'deliveriesPerSecond').map(({ atMs }) => atMs)).toEqual([0, 1000, 2003]);
  expect(integral(pointsOf(series, 'deliveriesPerSecond'))).toBeCloseTo(130, 9);
  expect(pointsOf(series, 'loopDelayMs').at(-1)?.value).toBe(9);
});

it('the course of a shard of any length is bounded, keeps the worst delay, and its rates add up to all', () => {
  const lengths = fc.integer({ min: 1, max: 5 * pointsAtMost });
  fc.assert(
    fc.property(lengths, fc.nat(), (length, seed) => {
      const worst = seed % length;
      const course = new ShardTimeline();
      for (let n = 1; n <= length; n++) {
        course.take([second(n * 1000 + (n % 7), { received: n * 13 }, n === worst + 1 ? 503 : n % 11)]);
      }
      const series = course.series(0, 0, none, undefined);
      const rates = pointsOf(series, 'deliveriesPerSecond');
      expect(rates.length).toBeLessThanOrEqual(pointsAtMost);
      expect(rates.length).toBeGreaterThan(Math.min(length, pointsAtMost / 2 - 1));
      expect(integral(rates)).toBeCloseTo(length * 13, 3);
      expect(Math.max(...pointsOf(series, 'loopDelayMs').map(({ value }) => value))).toBe(503);
      expect(rates.every(({ atMs }, n) => n === 0 || atMs > (rates[n - 1]?.atMs ?? 0))).toBe(true);
    }),
    { numRuns: 13 },
  );
});

it('broadcasts taken by the target come evenly between two points, and are those of the last after it', () => {
  const course = courseOf([second(1000, { acked: 10 }), second(2000, { acked: 30 })]);
  const asked = [0, 500, 1000, 1500, 2000, 5000];
  expect(asked.map((atMs) => course.ackedAt(atMs))).toEqual([0, 5, 10, 20, 30, 30]);
});
