import { expect, it } from 'vitest';
import { memberOf, tells } from '../../../test/members.js';
import type { JobStatus, ShardSecond } from '../../contract/shard.js';
import { gaugeSeries } from '../../results/progress.js';
import type { Member } from '../shards/member.js';
import { gaugesTogether, LiveTimeline } from './live-timeline.js';

const second = (atMs: number, received: number, acked: number): ShardSecond => ({
  atMs,
  progress: { subscribers: 11, received, published: acked, acked },
  rig: { loopDelayMs: received, cpuCores: 0.25, rssBytes: 1000 },
});

const memberAt = (url: string, ...seconds: ShardSecond[]): Member =>
  tells(memberOf({ url }), { stage: 'publish', progress: seconds.at(-1)?.progress ?? {}, seconds });

const course = () => new LiveTimeline(26_000, 211, () => ({ cpuPercent: 37 }));

it('a view has every shard and all together, on the axis of the result, and is JSON', () => {
  const members = [memberAt('http://a', second(1000, 100, 7)), memberAt('http://b', second(1003, 70, 6))];
  const view = course().look(members, 1250);
  expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  expect(view).toMatchObject({
    stage: 'publish',
    elapsedMs: 1250,
    plannedMs: 26_000,
    figures: { subscribers: 22, received: 170, published: 13 },
    shards: [
      { index: 0, url: 'http://a', lost: null, atMs: 1211, gauges: { open: 11, deliveriesPerSecond: 100 } },
      { index: 1, url: 'http://b', lost: null, atMs: 1214 },
    ],
  });
  expect(view.gauges).toMatchObject({ open: 22, loopDelayMs: 100, cpuCores: 0.5, rssBytes: 2000 });
  // To 11 subscribers each what both published.
  expect(view.shards.map(({ gauges }) => gauges.backlog)).toEqual([13 * 11 - 100, 13 * 11 - 70]);
});

it('a shard that is silent or lost is no part of the whole, and its series end with its last word', () => {
  const members = [memberAt('http://a', second(1000, 100, 7)), memberAt('http://b', second(1000, 70, 6))];
  const [one, two] = members as [Member, Member];
  const seen = course();
  seen.look(members, 1250);
  tells(one, { seconds: [second(2000, 200, 14)] });
  const silent = seen.look(members, 3300);
  expect(silent.shards.map(({ silentMs }) => silentMs)).toEqual([0, 2050]);
  expect(silent.gauges.open).toBe(11);
  two.lost = 'no answer for 5003 ms';
  tells(one, {});
  const lost = seen.look(members, 6300);
  expect(lost.shards[1]).toMatchObject({ lost: 'no answer for 5003 ms', stage: 'publish', atMs: 1211 });
  expect(lost.gauges.open).toBe(11);
  const open = seen.gauges().filter(({ name }) => name === 'open');
  expect(open.map(({ points, endedBecause }) => [points.length, endedBecause])).toEqual([
    [3, undefined],
    [2, 'no answer for 5003 ms'],
  ]);
  for (const series of seen.gauges()) expect(gaugeSeries.parse(series)).toEqual(series);
});

it('tells a second when both shards have told it, on the axis of the result, with the target beside it', () => {
  const members = [memberAt('http://a', second(1000, 100, 7)), memberAt('http://b')];
  const [, two] = members as [Member, Member];
  const seen = course();
  expect(seen.look(members, 1250)).toMatchObject({ seconds: [], percentiles: null });
  tells(two, { seconds: [{ ...second(1003, 70, 6), bins: [7, 2] }] });
  const { seconds, percentiles } = seen.look(members, 1500);
  expect(seconds).toMatchObject([
    { atMs: 1214, gauges: { open: 22, loopDelayMs: 100 }, percentiles: { count: 2 }, target: { cpuPercent: 37 } },
  ]);
  expect(seconds[0]?.shards.map((gauges) => gauges?.backlog)).toEqual([13 * 11 - 100, 13 * 11 - 70]);
  expect(percentiles).toMatchObject({ count: 2, p50: null });
  expect(seen.look(members, 1750)).toMatchObject({ seconds: [], percentiles: { count: 2 } });
});

it('has the stages of all shards on the axis of the result, those that go on without an end', () => {
  const members = [memberAt('http://a'), memberAt('http://b')];
  const [one, two] = members as [Member, Member];
  const begin = (member: Member, ...stages: JobStatus['stages']): void => {
    tells(member, { stages });
  };
  const seen = course();
  expect(seen.look(members, 7)).toMatchObject({ loadAtMs: null, stages: [] });
  begin(one, { name: 'ramp', atMs: 17, durationMs: 600 });
  begin(two, { name: 'ramp', atMs: 13, durationMs: null });
  expect(seen.look(members, 1250)).toMatchObject({
    loadAtMs: 211 + 13,
    stages: [{ name: 'ramp', fromMs: 224, toMs: null }],
  });
  begin(one, { name: 'ramp', atMs: 17, durationMs: 600 }, { name: 'publish', atMs: 1011, durationMs: null });
  begin(two, { name: 'ramp', atMs: 13, durationMs: 710 });
  expect(seen.look(members, 1500).stages).toEqual([
    { name: 'ramp', fromMs: 224, toMs: 211 + 723 },
    { name: 'publish', fromMs: 1222, toMs: null },
  ]);
});

it('has no rates of the past when the jobs are done', () => {
  const members = [memberAt('http://a', second(1000, 100, 7)), memberAt('http://b', second(1000, 70, 6))];
  const seen = course();
  for (const member of members) tells(member, { state: 'done', stage: 'done' });
  const view = seen.look(members, 1250);
  expect(view).toMatchObject({ stage: 'done', gauges: {}, percentiles: null, figures: { received: 170 } });
  expect(view.shards.map(({ gauges }) => gauges)).toEqual([{}, {}]);
  expect(view.seconds).toHaveLength(1);
});

it('gauges together are sums, but the worst of delays', () => {
  expect(gaugesTogether([])).toEqual({});
  expect(gaugesTogether([{ open: 7, loopDelayMs: 3 }, { open: 11, loopDelayMs: 13 }, { loopDelayMs: 2 }])).toEqual({
    open: 18,
    loopDelayMs: 13,
  });
});
