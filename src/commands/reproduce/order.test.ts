import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { goldenRun } from '../../../test/kept-golden.js';
import { smallSource } from '../../../test/published.js';
import type { Comparison } from '../../results/comparison.js';
import { type PublishedTable, tablesOf } from '../../results/published.js';
import type { RunResult } from '../../results/result.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { orderOf, pairsOf } from './order.js';
import { rowsOf } from './reproduced.js';
import type { ReproducedPair } from './reproduction.js';

const latency = scenarioByName('latency') as Scenario;
const small = tablesOf(smallSource)[0] as PublishedTable;
const golden = goldenResult();

/** A run in which half of the broadcasts took so long; `leastUs` is what is left of it without the rig. */
function timed(p50: number, leastUs = p50, more: Partial<RunResult> = {}): RunResult {
  const { delivery, deliveryAtLeast } = golden.metrics;
  const metrics = {
    ...golden.metrics,
    delivery: { ...delivery!, p50 },
    deliveryAtLeast: { ...deliveryAtLeast!, p50: leastUs },
  };
  return goldenResult({ metrics, ...more });
}

const ran = (target: string, runs: readonly RunResult[]): Comparison['rows'][number] => ({
  ...{ target, state: 'ran', why: '', figures: [] },
  runs: runs.map((result) => ({ directory: 'd', result })),
});

/** The pairs of a table, of these runs by target. */
function pairs(runs: Readonly<Record<string, readonly RunResult[]>>, figures = small.figures): ReproducedPair[] {
  const rows = Object.entries(runs).map(([target, own]) => ran(target, own));
  return pairsOf(rowsOf({ ...small, figures }, latency, { rows } as Comparison), latency, { rows });
}

const times = (...us: number[]): RunResult[] => us.map((each) => timed(each));

describe('the order of two contenders', () => {
  const pair = { metric: 'delivery.p50', a: 'uws', b: 'ws' };

  it('is the same or another one, where all runs agree', () => {
    expect(pairs({ ws: times(1000, 1010, 1020), uws: times(400, 405, 410) })).toEqual([{ ...pair, holds: 'yes' }]);
    expect(pairs({ ws: times(400, 405, 410), uws: times(1000, 1010, 1020) })).toEqual([{ ...pair, holds: 'no' }]);
  });

  it('is open within chance, and with fewer than three valid runs', () => {
    const byChance = pairs({ ws: times(400, 1000, 2000), uws: times(500, 900, 1900) });
    expect(byChance).toEqual([{ ...pair, holds: 'open', because: 'chance' }]);
    const one = [goldenRun('ws', 1), goldenRun('uws', 3)].map((run) => [run.target.name, [run]]);
    expect(pairs(Object.fromEntries(one))).toEqual([{ ...pair, holds: 'open', because: 'fewRuns' }]);
    const voided = timed(1020, 1020, { verdict: { rig: 'void', evidence: [] } });
    const withVoid = pairs({ ws: [...times(1000, 1010), voided], uws: times(400, 405, 410) });
    expect(withVoid).toEqual([{ ...pair, holds: 'open', because: 'fewRuns' }]);
  });

  it('must hold without what the rig may have added', () => {
    const ws = [1000, 1010, 1020].map((us) => timed(us, us / 3));
    expect(pairs({ ws, uws: times(400, 405, 410) })).toEqual([{ ...pair, holds: 'open', because: 'rig' }]);
    const uws = [1000, 1010, 1020].map((us) => timed(us, us / 3));
    expect(pairs({ ws: times(400, 405, 410), uws })).toEqual([{ ...pair, holds: 'open', because: 'rig' }]);
    expect(pairs({ ws: times(1000, 1010, 1020), uws: [400, 405, 410].map((us) => timed(us, us / 3)) })).toEqual([
      { ...pair, holds: 'yes' },
    ]);
  });

  it('is not judged where no scoreboard has the figure', () => {
    const [first] = small.figures;
    const rss = (target: string, value: number) => ({
      ...{ ...first!, id: target, target, value, metric: 'targetRss.max', unit: 'MB' as const },
    });
    const found = pairs({ ws: times(1, 2, 3), uws: times(1, 2, 3) }, [rss('ws', 50), rss('uws', 20)]);
    expect(found).toMatchObject([{ holds: 'open', because: 'noFigure' }]);
  });
});

describe('the pairs of a table', () => {
  const [first] = small.figures;
  const figure = (target: string, value: number, more = {}) => ({
    ...{ ...first!, id: `${target}-${value}`, target, value, ...more },
  });
  const runs = { ws: times(1000, 1010, 1020), uws: times(400, 405, 410) };
  const paired = (...figures: PublishedTable['figures']) => pairs(runs, figures).map(({ a, b }) => [a, b]);

  it('are of contenders whose published values lie apart, once per metric', () => {
    expect(paired(figure('ws', 3), figure('ws', 4), figure('uws', 1), figure('uws', 2))).toEqual([['uws', 'ws']]);
    expect(paired(figure('ws', 2), figure('ws', 4), figure('uws', 1), figure('uws', 3))).toEqual([]);
    expect(paired(figure('ws', 2), figure('uws', 2))).toEqual([]);
  });

  it('take a value as its source qualifies it', () => {
    expect(paired(figure('ws', 3), figure('ws', 1, { bound: 'atLeast' }), figure('uws', 2))).toEqual([]);
    expect(paired(figure('ws', 3, { bound: 'below' }), figure('uws', 2))).toEqual([]);
    expect(paired(figure('ws', 3, { bound: 'atLeast' }), figure('uws', 2))).toEqual([['uws', 'ws']]);
    expect(paired(figure('ws', 21, { bound: 'about' }), figure('uws', 20))).toEqual([]);
    expect(paired(figure('ws', 30, { bound: 'about' }), figure('uws', 20))).toEqual([['uws', 'ws']]);
  });
});

it('sums up the order of a table', () => {
  const of = (...all: ReproducedPair['holds'][]) => orderOf(all.map((holds) => ({ holds })));
  expect(of()).toEqual({ yes: 0, no: 0, open: 0 });
  expect(of('yes', 'yes')).toEqual({ holds: 'yes', yes: 2, no: 0, open: 0 });
  expect(of('yes', 'open')).toEqual({ holds: 'open', yes: 1, no: 0, open: 1 });
  expect(of('yes', 'open', 'no')).toEqual({ holds: 'no', yes: 1, no: 1, open: 1 });
});
