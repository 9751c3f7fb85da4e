import { describe, expect, it } from 'vitest';
import { goldenResult, goldenShard } from '../../../test/golden-result.js';
import { goldenRun, latency } from '../../../test/kept-golden.js';
import type { Series } from '../../measure/series.js';
import { coresBusy } from '../../measure/verdict/machine-rules.js';
import { targetStarved } from '../../measure/verdict/target-rules.js';
import type { RunResult } from '../../results/result.js';
import { type DiffInput, diffOf, partExit } from './diff.js';
import { renderDiffJunit } from './junit.js';
import { renderDiffMarkdown } from './markdown.js';
import { renderDiff } from './print.js';

const lastedMs = 100_000;

/** Two busy cores under a run, and what its target did on them; null where nobody watched it. */
interface Busy {
  targetCores: number;
  /** Of a second, how long its threads waited for a core. */
  waited: number | null;
  /** Set where it is known which waits are in the largest delivery: its time without them. */
  leastMs?: number;
}

/** A run that took that many times as long, with its largest delivery in milliseconds, on cores that were all busy. */
function busyRun(times: number, maxMs: number, { targetCores, waited, leastMs }: Busy): RunResult {
  const { environment } = goldenResult();
  const reading = (name: 'cpuPercent' | 'coreWaitPercent', value: number): Series => ({
    source: 'proc',
    process: '7',
    name,
    unit: 'percent',
    points: [0, lastedMs].map((atMs) => ({ atMs, value })),
  });
  const text = 'the 2 cores under shard 0 were busy 99.9 % of the time';
  const leastUs = maxMs * 1000 - 101;
  const of = { metric: 'delivery', figure: 'max' as const };
  const doubts = [
    { ...of, rule: coresBusy, leastUs, text },
    ...(leastMs === undefined ? [] : [{ ...of, rule: targetStarved, leastUs: leastMs * 1000, text: 'it waited' }]),
  ];
  const { rig } = goldenShard(0);
  const result = goldenShard(0, { rig: { ...rig, shard: { ...rig.shard, coreBusy: [1, 0.99] } } });
  const run = calmRun(times, maxMs);
  return {
    ...run,
    verdict: { rig: 'clean', evidence: [], doubts },
    shards: [{ url: 'http://127.0.0.1:41297', state: 'complete', why: '', result }],
    environment: {
      ...environment,
      loadAtMs: 0,
      stages: [{ name: 'publish', fromMs: 0, toMs: lastedMs }],
      observations:
        waited === null ? [] : [reading('cpuPercent', targetCores * 100), reading('coreWaitPercent', waited * 100)],
    },
  };
}

function calmRun(times: number, maxMs: number): RunResult {
  const run = goldenRun('ws', times);
  const delivery = { ...run.metrics.delivery!, max: maxMs * 1000 };
  return { ...run, metrics: { ...run.metrics, delivery } };
}

const side = (make: (noise: number) => RunResult): DiffInput => ({
  directory: 'kept',
  rows: [{ target: 'ws', runs: [0.98, 1, 1.02].map((noise, n) => ({ directory: `${n}`, result: make(noise) })) }],
});

const beside: Busy = { targetCores: 0.03, waited: 0.0017 };

describe('other programs that hold the cores of one side', () => {
  const calm = side((noise) => calmRun(noise, 108 * noise));
  const busy = (maxMs: number, how: Busy = beside) => side((noise) => busyRun(noise, maxMs * noise, how));
  const between = (before: DiffInput, after: DiffInput) => {
    const diff = diffOf(latency, before, after, '');
    const row = diff.parts[0]?.rows.find(({ name }) => name === 'delivery.max');
    return { diff, ends: diff.parts.map(partExit), row };
  };

  it('are no regression: what they may have added leaves it undecided, with the reason', () => {
    const { diff, ends, row } = between(calm, busy(125));
    expect([ends, diff.regressions]).toEqual([['rig'], []]);
    expect(diff.undecided).toMatchObject([{ name: 'ws  delivery.max', because: expect.stringContaining('99.9 %') }]);
    expect(row).toMatchObject({ judgement: 'undecided', undecided: { as: 'worse' }, candidate: { isDoubted: true } });
  });

  it('hide no regression that is larger than what they can have added', () => {
    // The target waited for 170 ms in all.
    const { diff, ends } = between(calm, busy(1250));
    expect([ends, diff.regressions, diff.undecided]).toEqual([['threshold'], ['ws  delivery.max'], []]);
  });

  it('can have added what a mark says where it knows which waits a figure has', () => {
    const starved = { ...beside, waited: 0.5 };
    expect(between(calm, busy(1250, { ...starved, leastMs: 503 })).ends).toEqual(['threshold']);
    expect(between(calm, busy(1250, { ...starved, leastMs: 101 })).ends).toEqual(['rig']);
    expect(between(calm, busy(1250, starved)).ends).toEqual(['rig']);
  });

  it('can have added anything where nobody watched the target', () => {
    expect(between(calm, busy(1250, { ...beside, waited: null })).ends).toEqual(['rig']);
  });

  it('are none where the target itself took the cores', () => {
    expect(between(calm, busy(125, { targetCores: 1.8, waited: 0.5 })).ends).toEqual(['threshold']);
  });

  it('do not differ where they held the cores of both', () => {
    expect(between(busy(108), busy(125)).ends).toEqual(['threshold']);
    expect(between(busy(125), busy(108)).row?.judgement).toBe('better');
  });

  it('leave it undecided, too, what became better once they were gone', () => {
    const { row, ends } = between(busy(125), calm);
    expect([row?.undecided?.as, ends]).toEqual(['better', ['clean']]);
  });

  it('are told in every form, and never among what is worse', () => {
    const { diff } = between(calm, busy(125));
    const forms = [
      renderDiff(diff, latency, { isColored: false, columns: 160 }),
      renderDiffMarkdown(diff),
      renderDiffJunit(diff),
    ];
    for (const form of forms) {
      expect(form).toContain('undecided');
      expect(form).toContain('other programs held the cores of the candidate');
      expect(form).not.toContain('worse beyond noise:');
    }
    expect(renderDiffJunit(diff)).toMatch(/failures="0" errors="0" skipped="1"/);
  });
});
