import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../../test/golden-result.js';
import { naming } from '../../../../test/refusal.js';
import { messagesBy } from '../../../../test/refusals.js';
import { Blocks, blocksOf } from '../../../measure/samples/blocks.js';
import { parseThreshold } from '../../../measure/threshold.js';
import type { RunResult } from '../../../results/result.js';
import { readOptions } from '../../../run/plan/plan.js';
import { scenarioByName } from '../../../scenarios/list.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import { judgeTry } from './command.js';
import { type FigureThreshold, findSchema, planFind, tryAt } from './plan.js';

const scenario = scenarioByName('latency') as Scenario;

const limitOf = (text: string) =>
  parseThreshold(text, { metrics: Object.keys(scenario.metrics), counts: [], shares: [] }) as FigureThreshold;

const metric = (p50: number | null) =>
  ({ ...Object.values(goldenResult().metrics)[0], p50, max: p50 }) as RunResult['metrics'][string];

interface Ran {
  p50?: number | null;
  /** Added over the five seconds of the load. */
  addedUs?: number;
  marks?: NonNullable<RunResult['verdict']['bounds']>;
  evidence?: RunResult['verdict']['evidence'];
  options?: object;
  stop?: RunResult['stop'];
}

/** A run of 5 s at 100/s with that p50 of deliveries, judged by a limit of 53 ms. */
function judged({ p50 = 7_013, addedUs = 0, marks = [], evidence = [], options = {}, ...more }: Ran = {}) {
  const golden = goldenResult();
  const blocks = new Blocks(500);
  for (let n = 0; n < 500; n++) blocks.record(n, 7_013 + (n / 500) * addedUs);
  const result: RunResult = {
    ...golden,
    job: {
      ...golden.job,
      options: { ...scenario.options.parse({ broadcasts: 500, ratePerSecond: 100 }), ...options },
    },
    shards: [],
    ledger: { attempted: 500, acked: 500, expected: 3500, offeredPerSecond: 100, achievedPerSecond: 100 },
    metrics: { delivery: metric(p50), deliveryAtLeast: metric(p50), deliveryFromIntended: metric(p50) },
    verdict: { rig: 'clean', evidence, ...(marks.length > 0 && { bounds: marks }) },
    stop: { code: 'completed', evidence: [] },
    ...more,
  };
  const series = { [blocksOf('deliveryFromIntended')]: blocks.finish() };
  const plan = { scenario, fleet: { isStrict: false } } as Parameters<typeof judgeTry>[1];
  return judgeTry({ result, series }, plan, limitOf('delivery.p50<53ms'));
}

const mark = (rule: string, leastUs: number) => ({
  ...{ rule, metric: 'delivery', figure: null, leastUs, text: 'other programs held the cores of the target' },
});

describe('a run that keeps its limit', () => {
  it('is kept, whatever the rig may have added', () => {
    expect(judged()).toEqual({ figure: 7_013, leastUs: 7_013, holds: 'yes', signs: [], why: [] });
    expect(judged({ marks: [mark('target-starved', 0)] }).holds).toBe('yes');
  });

  it('is broken all the same where deliveries come ever later', () => {
    const { holds, signs } = judged({ addedUs: 60_000 });
    expect([holds, signs.map(({ sign }) => sign)]).toEqual(['no', ['backlog-grows']]);
    expect(judged({ addedUs: 40_000 }).holds).toBe('yes');
  });

  it('is undecided where the growth need not be the target’s', () => {
    const marks = [{ ...mark('target-starved', 0), metric: 'deliveryFromIntended' }];
    expect(judged({ addedUs: 60_000, marks })).toMatchObject({
      holds: 'open',
      why: ['target-starved: other programs held the cores of the target'],
    });
    expect(
      judged({ addedUs: 60_000, marks: [{ ...mark('steal', 6_997), metric: 'deliveryFromIntended' }] }).holds,
    ).toBe('no');
  });

  it('is no growing backlog where visitors make latency grow', () => {
    const options = { clients: 7, stages: '2s:20' };
    expect(judged({ addedUs: 60_000, options }).holds).toBe('yes');
  });

  it('is undecided where the target had less to do', () => {
    const evidence = [{ rule: 'schedule-missed', level: 'limited' as const, text: 'so it was' }];
    expect(judged({ evidence }).holds).toBe('open');
  });
});

describe('a run that breaks its limit', () => {
  it('is broken where it does so by its least, too', () => {
    expect(judged({ p50: 61_001 })).toMatchObject({ holds: 'no', signs: [{ sign: 'limit' }], why: [] });
    expect(judged({ p50: 61_001, marks: [mark('cores-busy', 53_003)] }).holds).toBe('no');
    expect(judged({ p50: null })).toMatchObject({ holds: 'no', figure: null });
  });

  it.each(['cores-busy', 'target-starved', 'a rule of tomorrow'])('is undecided by a mark of %s below it', (rule) => {
    const { holds, why, leastUs } = judged({ p50: 61_001, marks: [mark(rule, 52_999)] });
    expect([holds, leastUs]).toEqual(['open', 52_999]);
    expect(why.join()).toContain(rule);
  });

  it('ends at a wall of the target, and is undecided at one of the rig', () => {
    expect(judged({ stop: { code: 'refused', evidence: ['so'] } })).toMatchObject({ holds: 'no' });
    expect(judged({ stop: { code: 'rigSaturated', evidence: ['so'] } })).toMatchObject({ holds: 'open' });
  });
});

const plan = (name: string, flags: Record<string, unknown>) => {
  const scenario = scenarioByName(name) as Scenario;
  const given = { flags: { target: 'metronome', limit: 'delivery.p50<53ms', ...flags }, env: {} };
  return planFind(scenario, readOptions(findSchema(scenario), given));
};

const sizeAt = (name: string, flags: Record<string, unknown>, rate: number, ...keys: string[]) => {
  const { options, durationMs } = tryAt(plan(name, flags), rate);
  return [durationMs, ...keys.map((key) => options[key])];
};

describe('a run of a search', () => {
  it('lasts as long at every rate: a higher one makes it no shorter', () => {
    for (const rate of [7, 40, 640]) expect(sizeAt('latency', {}, rate, 'broadcasts')).toEqual([5000, rate * 5]);
    expect(sizeAt('latency', { durationMs: '2s' }, 97, 'broadcasts')).toEqual([2000, 194]);
    expect(sizeAt('throughput', {}, 97, 'broadcasts', 'durationMs')).toEqual([5000, 485, 5000]);
    expect(sizeAt('whisper', {}, 3, 'durationMs')).toEqual([5000, 5000]);
    expect(sizeAt('echo', { limit: 'roundTrip.p50<53ms' }, 3, 'durationMs')).toEqual([5000, 5000]);
    expect(sizeAt('connect', { limit: 'handshake.p50<53ms' }, 97, 'clients')).toEqual([5000, 485]);
  });

  it('lasts longer where its percentile needs more samples, or where a size was given', () => {
    expect(sizeAt('latency', { limit: 'delivery.p99<53ms' }, 50, 'broadcasts')).toEqual([10_000, 500]);
    expect(sizeAt('latency', { limit: 'delivery.p99<53ms' }, 200, 'broadcasts')).toEqual([5000, 1000]);
    expect(sizeAt('latency', {}, 0.313, 'broadcasts')[1]).toBe(10);
    expect(sizeAt('latency', { broadcasts: '400' }, 40, 'broadcasts')).toEqual([10_000, 400]);
    expect(sizeAt('latency', { broadcasts: '400' }, 160, 'broadcasts')).toEqual([5000, 800]);
  });

  it('keeps the length of a load in which clients drop out', () => {
    const times = { everyMs: '15s', broadcasts: '60', ratePerSecond: '2/s' };
    expect(sizeAt('jitter', times, 8, 'broadcasts')[1]).toBe(240);
    expect(sizeAt('deploy', {}, 8, 'broadcasts')[1]).toBe(240);
  });
});

it('a search goes down to rates whose runs last not much longer, up to the highest of the scenario', () => {
  const { shape } = plan('latency', { limit: 'delivery.p99<53ms', ratePerSecond: '40/s' });
  expect(shape).toMatchObject({ startRate: 40, minRate: 10, maxRate: 100_000, repeat: 3, runsAtMost: 36 });
  // 2 s of ramp, 12.75 s of 510 broadcasts and 5 s of drain.
  expect(shape.mostMs).toBe(36 * 19_750);
  const once = plan('connect', { limit: 'handshake.p50<53ms', repeat: '1' });
  expect(once.shape).toMatchObject({ maxRate: 1e6, repeat: 1, runsAtMost: 16 });
});

describe('a limit that cannot be searched', () => {
  it.each([
    ['delivery.p99<0ms', 'a time above 0'],
    ['delivery.p99>5ms', '< or <='],
    ['delivery.p50==5ms', '< or <='],
    ['lost==0', 'one of'],
  ])('is refused before the load: %s', (limit, expected) =>
    expect(messagesBy(() => plan('latency', { limit }))).toEqual([naming('--limit:', expected)]),
  );

  it('needs samples that no longer load brings', () => {
    expect(messagesBy(() => plan('latency', { limit: 'connect.p99<53ms', clients: '7' }))).toEqual([
      naming('--limit:', 500, '--clients'),
    ]);
    expect(messagesBy(() => plan('latency', { limit: 'delivery.p99<53ms', broadcasts: '20' }))).toEqual([]);
  });
});

describe('the limit of a search on a series', () => {
  const given = { limit: 'delivery.p99<53ms', metricsUrl: 'http://127.0.0.1:9' };
  it('is a condition on one that is asked for', () => {
    expect(plan('latency', { ...given, series: ['heap=go_bytes'], until: 'heap.max>2gb' }).until).toMatchObject({
      ...{ metric: 'heap', figure: 'max', comparison: '>', bound: 2e9 },
    });
  });
  it('is refused otherwise, and so are queries that nobody answers', () => {
    const heap = ['heap=go_bytes'];
    const refused = (more: object) => messagesBy(() => plan('latency', { ...given, ...more }));
    expect(refused({ series: heap, until: 'heat.max>2gb' })).toEqual([naming('--until:', 'one of heap', 'heat')]);
    expect(refused({ series: heap, until: 'heap.p99>2gb' })).toEqual([naming('--until:', 'min, max, mean, last')]);
    expect(refused({ series: heap, metricsUrl: undefined })).toEqual([naming('--series:', '--target-metrics')]);
    expect(refused({ series: ['heap'] })).toEqual([naming('--series', 'NAME=QUERY', 'heap')]);
    expect(refused({ series: ['heap=a', 'heap=b'] })).toEqual([naming('--series', 'each name once')]);
  });
});
