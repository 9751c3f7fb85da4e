import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { goldenComparison, goldenRun, latency, voided } from '../../test/kept-golden.js';
import { parseRatioThreshold, type RatioThreshold } from '../measure/threshold.js';
import { type Comparison, type ComparisonRow, comparison, type JudgedRatio } from '../results/comparison.js';
import type { KeptPairedRatio, Paired } from '../results/paired.js';
import type { RunResult } from '../results/result.js';
import { assemble, comparisonExit, comparisonOf, forcedDifference, ratioExit, withRatios } from './compare.js';

const broken = { text: 'lost==0', kind: 'count', value: 1, isKept: false } as const;
const limited: RunResult['verdict'] = { rig: 'limited', evidence: [] };
const gone: Partial<RunResult> = {
  stop: { code: 'targetGone', evidence: [] },
  verdict: { rig: 'void', evidence: [] },
};

function row(runs: Partial<RunResult>[], more: Partial<ComparisonRow> = {}): ComparisonRow {
  const results = runs.map((each, index) => ({ directory: `results/${index}`, result: goldenResult(each) }));
  return { target: 'ws', state: 'ran', why: '', runs: results, figures: [], ...more };
}

const exit = (...rows: ComparisonRow[]): string => comparisonExit({ rows }, latency, false);

describe('how a comparison ends', () => {
  it('is `threshold` if a clean run broke one, whatever the rig did to another run', () => {
    expect(exit(row([{}, {}]))).toBe('clean');
    expect(exit(row([{ thresholds: [broken] }]), row([{ verdict: limited }]))).toBe('threshold');
    expect(exit(row([gone, { thresholds: [broken] }]))).toBe('threshold');
  });

  it('is `rig` if only limited runs broke a threshold, or a target died', () => {
    expect(exit(row([{}, { thresholds: [broken], verdict: limited }]))).toBe('rig');
    expect(exit(row([{}, gone]))).toBe('rig');
  });

  it('is `input` if a target failed or nothing ran', () => {
    expect(exit(row([{}]), row([], { state: 'failed', why: 'no ports' }))).toBe('input');
    expect(exit(row([], { state: 'notAvailable', why: 'no binary' }))).toBe('input');
    expect(exit()).toBe('input');
  });
});

const undecided = { ...broken, undecidedFromUs: 3 };
const doubtful: RunResult['verdict'] = {
  rig: 'clean',
  evidence: [],
  bounds: [{ rule: 'receive-lag', metric: 'delivery', figure: 'p50', leastUs: 2, text: 'x' }],
};

const pairOf = (holds: KeptPairedRatio['holds']) => ({ holds }) as KeptPairedRatio;
const inTurn = { ended: 'starts', withheld: [], pairs: [pairOf('open'), pairOf('yes')] } as unknown as Paired;
const open = { ...inTurn, pairs: [pairOf('open')] };

describe('how a paired comparison ends', () => {
  const rows = [row([{}]), row([{}])];
  const marked = [...rows, row([{ verdict: doubtful }])];
  const withheld = { ...inTurn, withheld: ['x'] } as unknown as Paired;

  it.each<[string, Paired, ComparisonRow[], boolean?]>([
    ['clean', inTurn, rows],
    // None is decided, but where one target alone has nothing to name.
    ['rig', open, rows],
    ['clean', open, rows.slice(1)],
    ['rig', withheld, rows],
    ['threshold', inTurn, [...rows, row([{ thresholds: [broken] }])]],
    ['rig', inTurn, [...rows, row([{ thresholds: [undecided] }])]],
    ['clean', inTurn, marked],
    ['rig', inTurn, marked, true],
    ['clean', inTurn, rows, true],
    ['input', inTurn, [...rows, row([], { state: 'failed', why: 'no ports' })]],
  ])('is %s', (end, paired, of, isStrict = false) => {
    expect(comparisonExit({ paired, rows: of }, latency, isStrict)).toBe(end);
  });
});

const golden = goldenResult();
const run = (target: string, directory: string, subscribers = 202) => ({
  directory,
  result: goldenResult({
    target: { ...golden.target, name: target },
    shape: { ...golden.shape, options: { clients: subscribers } },
  }),
});

describe('kept runs side by side', () => {
  it('are rows of targets, runs of one target its repeats', () => {
    const runs = [run('ws', 'a'), run('uws', 'b'), run('ws', 'c')];
    const scoreboard = assemble(latency, runs, '');
    expect(scoreboard.rows.map(({ target, runs: own }) => [target, own.map(({ directory }) => directory)])).toEqual([
      ['ws', ['a', 'c']],
      ['uws', ['b']],
    ]);
    expect(scoreboard.repeat).toBe(2);
    expect(scoreboard.rows[0]?.figures.find(({ column }) => column === 'p50')?.median).toBe(
      golden.metrics.delivery?.p50,
    );
    expect(comparison.safeParse(JSON.parse(JSON.stringify(scoreboard))).success).toBe(true);
  });

  it('of different shapes show their first difference', () => {
    expect(forcedDifference([run('ws', 'a'), run('uws', 'b')], false)).toBe('');
    const different = [run('ws', 'a'), run('uws', 'b'), run('ws', 'c', 1009)];
    expect(forcedDifference(different, true)).toBe('options.clients: 202 and 1009 (a and c)');
    expect(() => forcedDifference(different, false)).toThrow('options.clients: 202 and 1009 (a and c)');
  });
});

const subjects = { targets: ['head', 'base'], figures: ['delivery.p50', 'delivery.last'], counts: ['lost'] };
const read = (text: string): RatioThreshold => parseRatioThreshold(text, subjects) as RatioThreshold;

function judged(comparison: Comparison, ...texts: string[]): JudgedRatio[] {
  return withRatios(comparison, texts.map(read), latency).ratioThresholds ?? [];
}
const verdicts = (comparison: Comparison, ...texts: string[]): string[] =>
  judged(comparison, ...texts).map(({ holds }) => holds);

/** Starts in which `head` takes `times` as long as `base`, and both `rigUs` more by the rig. */
function paired(times: number, rigUs = 0, more: Partial<Paired> = {}): Comparison {
  const rounds = 13;
  const none = { stolenUs: [], excluded: [], overlapping: [] };
  const timed = (start: number, us: number) => {
    const own = Array.from({ length: rounds }, (_, round) => us * (1 + ((round * 7 + start * 3) % 11) / 1000));
    const added = own.map((each) => each + rigUs);
    return { p50Us: added, p50AtLeastUs: own, lastUs: added.map((each) => each * 2), ...none };
  };
  const starts = [1, 2, 3].map((start) => [timed(start, 2000), timed(start + 1, 2000 * times), timed(start + 2, 2000)]);
  const targets = ['base', 'head', 'base (twin)'].map((target) => ({ target }));
  const runs = ['base', 'head'].map((target) => goldenRun(target, 1));
  return {
    ...goldenComparison(runs),
    paired: { targets, starts, withheld: [], crowd: null, equalWithin: 0.05, ...more } as unknown as Paired,
  };
}

describe('a ratio of a paired comparison', () => {
  it('is kept, broken or undecided by its bounds', () => {
    const texts = ['head/base delivery.p50 < 1.5', 'head/base delivery.p50 < 1.1', 'base/head delivery.last > 0.5'];
    expect(verdicts(paired(1.3), ...texts)).toEqual(['yes', 'no', 'yes']);
    const [{ ratio, bounds } = { ratio: null, bounds: null }] = judged(paired(1.3), 'head/base delivery.p50 < 1.5');
    expect(ratio).toBeCloseTo(1.3, 2);
    expect(verdicts(paired(1.3), `head/base delivery.p50 < ${((bounds?.[0] ?? 0) + (bounds?.[1] ?? 0)) / 2}`)).toEqual([
      'open',
    ]);
  });

  it('must stand with and without what the rig may add', () => {
    // With the rig 6.6 to 6 ms, without it 2.6 to 2 ms.
    expect(verdicts(paired(1.3, 4000), 'head/base delivery.p50 < 1.2')).toEqual(['open']);
    expect(verdicts(paired(1.3, 4000), 'head/base delivery.p50 < 1.5')).toEqual(['yes']);
  });

  it('is undecided where no order is claimed, or a target has left', () => {
    const text = 'head/base delivery.p50 < 1.5';
    expect(verdicts(paired(1.3, 0, { withheld: ['controlApart'] }), text)).toEqual(['open']);
    const crowd = ['base', 'head'].map((target, index): NonNullable<Paired['crowd']>[number] => ({
      target,
      ratio: 1 + index,
      interval: [0.99 + index, 1.01 + index],
    }));
    expect(verdicts(paired(1.3, 0, { crowd }), text)).toEqual(['open']);
    const [first, , third] = ['base', 'head', 'base (twin)'].map((target) => ({ target }));
    const without = { targets: [first, third] } as unknown as Partial<Paired>;
    expect(judged(paired(1.3, 0, without), text)).toMatchObject([{ ratio: null, holds: 'open' }]);
  });

  it('is found again from the kept rounds', () => {
    const kept = withRatios(paired(1.3), [read('head/base delivery.p50 < 1.5')], latency);
    const forged = { ...kept, ratioThresholds: kept.ratioThresholds?.map((each) => ({ ...each, ratio: 7 })) };
    expect(withRatios(kept, forged.ratioThresholds as JudgedRatio[], latency)).toEqual(kept);
  });
});

describe('a ratio of whole runs', () => {
  const runs = (target: string, times: number) => [0.99, 1, 1.01].map((noise) => goldenRun(target, times * noise));
  const rows = (...all: RunResult[][]) =>
    all.map((own) => ({
      ...{ target: own[0]?.target.name ?? '', state: 'ran' as const, why: '', figures: [] },
      runs: own.map((result) => ({ directory: '', result })),
    }));
  const facts = { fingerprint: '', forced: '', repeat: 3, startedAt: '' };
  const of = (...all: RunResult[][]): Comparison => comparisonOf(latency, rows(...all), true, facts);

  it('comes from the pairs of the scoreboard, either way round', () => {
    const comparison = of(runs('base', 1), runs('head', 2));
    const texts = ['head/base delivery.p50 < 2.5', 'base/head delivery.p50 < 0.25', 'head/base delivery.p50 < 1.5'];
    expect(verdicts(comparison, ...texts)).toEqual(['yes', 'no', 'no']);
    expect(verdicts(of(runs('base', 1).slice(1), runs('head', 2)), texts[0] ?? '')).toEqual(['open']);
  });

  it('compares totals of as many runs', () => {
    const lossy = runs('head', 1).map((run) => ({ ...run, ledger: { ...run.ledger, lost: 2 } }));
    const clean = runs('base', 1).map((run) => ({ ...run, ledger: { ...run.ledger, lost: 1 } }));
    const limits = ['head/base lost <= 1', 'head/base lost <= 2'];
    expect(verdicts(of(clean, lossy), ...limits)).toEqual(['no', 'yes']);
    expect(judged(of(clean, lossy), ...limits)).toMatchObject([{ totals: [6, 3], ratio: 2 }, {}]);
    expect(verdicts(of(clean.slice(1), lossy), ...limits)).toEqual(['open', 'open']);
    const dark = lossy.map((run) => ({ ...run, verdict: voided }));
    expect(verdicts(of(clean, dark), ...limits)).toEqual(['open', 'open']);
  });
});

it('ends by the gravest ratio', () => {
  const of = (...found: JudgedRatio['holds'][]) =>
    ratioExit({ ratioThresholds: found.map((holds) => ({ holds }) as JudgedRatio) });
  expect([of(), of('yes'), of('yes', 'open'), of('open', 'no', 'yes')]).toEqual([
    ...['clean', 'clean', 'rig', 'threshold'],
  ]);
});
