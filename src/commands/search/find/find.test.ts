import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../../test/golden-result.js';
import { Blocks, blocksOf } from '../../../measure/samples/blocks.js';
import { parseThreshold } from '../../../measure/threshold.js';
import type { RunResult } from '../../../results/result.js';
import { scenarioByName } from '../../../scenarios/list.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import { judgeTry } from './find.js';
import type { FigureThreshold } from './plan.js';

const scenario = scenarioByName('latency') as Scenario;
const limitOf = (text: string) =>
  parseThreshold(text, { metrics: Object.keys(scenario.metrics), counts: [], shares: [] }) as FigureThreshold;

const metric = (p50: number | null) =>
  ({ ...Object.values(goldenResult().metrics)[0], p50, max: p50 }) as RunResult['metrics'][string];

interface Ran {
  p50?: number | null;
  /** Added over the five seconds of the load. */
  addedUs?: number;
  marks?: NonNullable<RunResult['verdict']['doubts']>;
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
    verdict: { rig: 'clean', evidence, ...(marks.length > 0 && { doubts: marks }) },
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
    expect(judged()).toEqual({ figure: 7_013, leastUs: 7_013, holds: 'yes', signs: [], doubts: [] });
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
      doubts: ['target-starved: other programs held the cores of the target'],
    });
    expect(
      judged({ addedUs: 60_000, marks: [{ ...mark('steal', 6_997), metric: 'deliveryFromIntended' }] }).holds,
    ).toBe('no');
  });

  it('is no growing backlog where visitors make latency grow', () => {
    const options = { subscribers: 7, stages: '2s:20' };
    expect(judged({ addedUs: 60_000, options }).holds).toBe('yes');
  });

  it('is undecided where the target had less to do', () => {
    const evidence = [{ rule: 'schedule-missed', level: 'limited' as const, text: 'so it was' }];
    expect(judged({ evidence }).holds).toBe('open');
  });
});

describe('a run that breaks its limit', () => {
  it('is broken where it does so by its least, too', () => {
    expect(judged({ p50: 61_001 })).toMatchObject({ holds: 'no', signs: [{ sign: 'limit' }], doubts: [] });
    expect(judged({ p50: 61_001, marks: [mark('cores-busy', 53_003)] }).holds).toBe('no');
    expect(judged({ p50: null })).toMatchObject({ holds: 'no', figure: null });
  });

  it.each(['cores-busy', 'target-starved', 'a rule of tomorrow'])('is undecided by a mark of %s below it', (rule) => {
    const { holds, doubts, leastUs } = judged({ p50: 61_001, marks: [mark(rule, 52_999)] });
    expect([holds, leastUs]).toEqual(['open', 52_999]);
    expect(doubts.join()).toContain(rule);
  });

  it('ends at a wall of the target, and is undecided at one of the rig', () => {
    expect(judged({ stop: { code: 'refused', evidence: ['so'] } })).toMatchObject({ holds: 'no' });
    expect(judged({ stop: { code: 'rigSaturated', evidence: ['so'] } })).toMatchObject({ holds: 'open' });
  });
});
