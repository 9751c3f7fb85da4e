import { describe, expect, it } from 'vitest';
import { goldenResult, goldenShard } from '../../../test/golden-result.js';
import type { StopCode } from '../../contract/stop-reasons.js';
import { Blocks, blocksOf } from '../../measure/samples/blocks.js';
import { jamsOf, type Plateau, restOf } from '../../measure/stats/jam.js';
import type { RunResult } from '../../results/result.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { factsOf, judgeRun, plateauOf } from './judge.js';
import { stopForSearch } from './search.js';

const throughput = scenarioByName('throughput') as Scenario;

const metric = (p50: number | null, max = p50) =>
  ({ ...Object.values(goldenResult().metrics)[0], p50, max }) as RunResult['metrics'][string];

/** A run of 300 publishes at 100/s to 7 subscribers, with p50s in microseconds and what its verdict says. */
function ran(
  { whole = 6_007, sinceSent = 5_003, atLeast = 4_999, lag = 3, ledger = {}, stop = 'completed' as const } = {},
  rules: readonly (readonly [rule: string, level: 'limited' | 'void' | 'figure' | 'p99'])[] = [],
): RunResult {
  const text = 'so it was';
  const golden = goldenResult();
  return {
    ...golden,
    job: { ...golden.job, options: { ratePerSecond: 100, durationMs: 3000, warmUp: 0 } },
    shards: [],
    ledger: { attempted: 300, acked: 300, expected: 2100, offeredPerSecond: 100, achievedPerSecond: 100, ...ledger },
    metrics: {
      deliveryFromIntended: metric(whole),
      delivery: metric(sinceSent),
      deliveryAtLeast: metric(atLeast),
      publishLag: metric(lag),
      drain: metric(7_001, 11_003),
    },
    verdict: {
      rig: 'limited',
      evidence: rules.flatMap(([rule, level]) =>
        level === 'limited' || level === 'void' ? [{ rule, level, text }] : [],
      ),
      bounds: rules.flatMap(([rule, level]) =>
        level === 'figure' || level === 'p99'
          ? [{ rule, metric: 'deliveryFromIntended', figure: level === 'p99' ? level : null, leastUs: 0, text }]
          : [],
      ),
    },
    stop: { code: stop, evidence: ['seen'] },
  };
}

const facts = (result: RunResult, series: Record<string, Uint32Array> = {}) => factsOf(result, series, throughput);
const plateau = plateauOf([facts(ran())]);
const judgedAt = (result: RunResult, rest: Plateau) =>
  judgeRun(result, facts(result), {
    ...jamsOf(facts(result), rest),
    readFrom: ['delivery', 'deliveryFromIntended', 'drain'],
  });
const judge = (result: RunResult) => judgedAt(result, plateau);

describe('the facts of a run', () => {
  it('are of its measured schedule, and without what the rig can have added at the median', () => {
    const found = facts(ran({ whole: 40_009, sinceSent: 31_000, atLeast: 11_000, lag: 5_000 }));
    expect(found).toMatchObject({ scheduleMs: 3000, p50: 40_009 - 20_000 - 5_000, drain: 11_003, cut: 0, lost: 0 });
  });

  it('hold the growth of latency over the schedule', () => {
    const blocks = new Blocks(61);
    for (let n = 0; n < 61; n++) for (let each = 0; each < 5; each++) blocks.record(n, 10_007 + (n / 61) * 90_000);
    const series = { [blocksOf('deliveryFromIntended')]: blocks.finish() };
    const { growthMsPerSecond = 0 } = facts(ran(), series);
    expect(growthMsPerSecond).toBeGreaterThan(28);
    expect(growthMsPerSecond).toBeLessThan(32);
  });
});

it('makes up no p50 for a plateau without one', () => {
  expect(plateauOf([])).toMatchObject({ p50: null, drain: null });
  const unknown = facts({ ...ran(), metrics: {} });
  expect(plateauOf([unknown, facts(ran())])).toMatchObject({ p50: 6_000, drain: 11_003 });
  expect(judgedAt(ran(), plateauOf([unknown])).signs).toEqual([]);
});

describe('a run at the lowest rate', () => {
  it('is jammed where the target acks and delivers nothing, or loses most', () => {
    for (const lost of [2100, 1500]) {
      const result = ran({ ledger: { lost } });
      expect(judgedAt(result, restOf(facts(result)))).toMatchObject({ holds: 'no' });
    }
  });
});

describe('a run that kept up', () => {
  it('is good, limited or not: the rig can only have made it look worse', () => {
    expect(judge(ran())).toEqual({ holds: 'yes', signs: [], why: [] });
    expect(judge(ran({}, [['cores-busy', 'figure']])).holds).toBe('yes');
    expect(judge(ran({}, [['cores-busy', 'figure']])).holds).toBe('yes');
  });

  it('is doubtful where it is void, or carried less than its rate says', () => {
    expect(judge(ran({}, [['ledger-broken', 'void']])).holds).toBe('open');
    expect(judge(ran({}, [['schedule-missed', 'limited']])).holds).toBe('open');
  });
});

describe('a run that jammed', () => {
  const slow = { whole: 900_001, sinceSent: 900_001, atLeast: 900_001 };
  it.each<[string, object, Parameters<typeof ran>[1], string]>([
    ['with a rig at its ease', {}, [], 'no'],
    [
      'with long tails of the rig',
      {},
      [
        ['publish-lag', 'p99'],
        ['calibrated-error', 'p99'],
      ],
      'no',
    ],
    ['with no core idle', {}, [['cores-busy', 'figure']], 'open'],
    ['with a loop that was always busy', {}, [['loop-utilization', 'figure']], 'open'],
    ['by stamps while the hypervisor had the cores', {}, [['steal', 'figure']], 'open'],
    ['by a loss, whatever the stamps', { ledger: { lost: 101 } }, [['steal', 'figure']], 'no'],
    ['on a schedule that the rig missed', {}, [['schedule-missed', 'limited']], 'open'],
    [
      'on a schedule that waited for answers',
      { ledger: { latePublishes: 31, achievedPerSecond: 61 } },
      [['schedule-missed', 'limited']],
      'no',
    ],
    ['with books that do not foot', {}, [['ledger-broken', 'void']], 'open'],
    ['until nobody was left', { stop: 'targetGone' }, [['cut-short', 'void']], 'no'],
    ['and was interrupted', { stop: 'interrupted' }, [['cut-short', 'void']], 'open'],
  ])('%s', (_, more, rules, holds) => expect(judge(ran({ ...slow, ...more }, rules)).holds).toBe(holds));
});

it('a target that takes no publish is jammed, though its run ended within the warm-up', () => {
  const none = { attempted: 0, acked: 0, expected: 0, offeredPerSecond: 0, achievedPerSecond: 0 };
  const result: RunResult = {
    ...ran({ ledger: none }, [
      ['cut-short', 'void'],
      ['nothing-published', 'void'],
    ]),
    stop: { code: 'publishRefused', evidence: ['none of the first 7 publishes was acked'] },
  };
  expect(judge(result)).toMatchObject({ holds: 'no', signs: [{ sign: 'publishes-failed' }], why: [] });
});

it('a target that acks a part alone, or delivers nothing, is jammed like one that takes nothing', () => {
  const some = { attempted: 1200, acked: 600, refused: 600, expected: 4200 };
  const short: RunResult = {
    ...ran({ ledger: some }),
    stop: { code: 'publishesShort', evidence: ['1,200 publishes'] },
  };
  expect(judge(short)).toMatchObject({ holds: 'no', signs: [{ sign: 'publishes-failed' }], why: [] });
  const none: RunResult = {
    ...ran({ ledger: { lost: 2100 } }, [['nothing-delivered', 'void']]),
    stop: { code: 'nothingDelivered', evidence: ['0 delivered'] },
  };
  expect(judge(none)).toMatchObject({ holds: 'no', why: [] });
});

describe('a target that takes no client', () => {
  const nobody = (code: StopCode, opened = 0): RunResult => ({
    ...ran(),
    stop: { code, evidence: ['7 clients asked, 0 subscribers; http-status:502 × 7'] },
    shards: [0, 1].map((index) => ({
      ...{ url: '', state: 'partial' as const, why: '' },
      result: goldenShard(index, { counts: { opened: index * opened } }),
    })),
  });
  const codeOf = (result: RunResult, hadAudience = true) => stopForSearch(result, hadAudience).code;

  it('can’t be reached any more where an earlier run had its audience', () => {
    expect(stopForSearch(nobody('refused'), true)).toEqual({
      code: 'targetUnreachable',
      evidence: ['7 clients asked, 0 subscribers; http-status:502 × 7'],
    });
    expect(codeOf(nobody('handshakeTimeouts'))).toBe('targetUnreachable');
    expect(codeOf(nobody('refused'), false)).toBe('refused');
  });

  it('is not unreachable if it took some, or the rig had no port for them', () => {
    expect(codeOf(nobody('refused', 1))).toBe('refused');
    expect(codeOf(nobody('portsExhausted'))).toBe('portsExhausted');
    expect(codeOf(nobody('targetGone'))).toBe('targetGone');
  });
});

describe('a jam that the rig can have made', () => {
  const late = { whole: 900_001, sinceSent: 900_001, atLeast: 900_001 };
  const busy = (result: RunResult, utilization: number): RunResult => {
    const shard = goldenShard(0);
    const [worker] = shard.rig.workers;
    const workers = worker ? [{ ...worker, role: 'publisher' as const, utilization }] : [];
    const rig = { ...shard.rig, workers };
    return { ...result, shards: [{ url: '', state: 'complete', why: '', result: { ...shard, rig } }] };
  };

  it('by a publish loop that was always busy takes no side, unless more shows than that loop can hold back', () => {
    const held = { ledger: { latePublishes: 31, achievedPerSecond: 61 } };
    for (const result of [ran(late), ran(held)]) {
      expect(judge(busy(result, 0.91))).toMatchObject({
        holds: 'open',
        why: ['publisher-busy: the publish loop of shard 0 was busy 91.0 % of the time'],
      });
      expect(judge(busy(result, 0.89)).holds).toBe('no');
    }
    expect(judge(busy(ran({ ...late, ledger: { lost: 101 } }), 0.97)).holds).toBe('no');
  });

  it('by one late delivery at the end takes no side beside long tails or stolen time', () => {
    const end = (rules: Parameters<typeof ran>[1]): RunResult => {
      const result = ran({}, rules);
      const late = { drain: metric(7_001, 211_003), deliveryFromIntended: metric(6_007, 213_011) };
      return { ...result, metrics: { ...result.metrics, ...late } };
    };
    expect(judge(end([]))).toMatchObject({ holds: 'no', signs: [{ sign: 'backlog-left' }] });
    for (const rule of ['receive-lag', 'loop-delay', 'publish-lag', 'steal'])
      expect(judge(end([[rule, 'figure']]))).toMatchObject({ holds: 'open', why: [`${rule}: so it was`] });
  });
});
