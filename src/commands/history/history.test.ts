import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenRun, voided } from '../../../test/kept-golden.js';
import { type Made, pairedComparison } from '../../../test/paired-golden.js';
import type { ShardResult } from '../../contract/shard.js';
import { terminalText } from '../../render/document/terminal.js';
import type { Comparison } from '../../results/comparison.js';
import type { RunResult } from '../../results/result.js';
import { askedRatio, history, historyOf, ratioHistoryOf, ratiosToFirst } from './history.js';
import { historyDocument } from './print.js';

const at = (day: number): string => `2026-11-${day}T09:40:15.682Z`;
const kept = (...results: RunResult[]) => results.map((result, index) => ({ directory: `results/${index}`, result }));

/** A run whose shards have a machine that differs so. */
function onMachine(other: Partial<ShardResult['machine']>, times = 1): RunResult {
  const run = goldenRun('ws', times);
  const shards = run.shards.map((shard) => {
    const { result } = shard;
    return { ...shard, result: result && { ...result, machine: { ...result.machine, ...other } } };
  });
  return { ...run, shards };
}

describe('a figure over kept runs', () => {
  it('is a line for each target and shape, in the order of time', () => {
    const runs = kept(
      goldenRun('ws', 3, { startedAt: at(23) }),
      goldenRun('uws', 1, { startedAt: at(22) }),
      goldenRun('ws', 2, { startedAt: at(21) }),
      goldenRun('ws', 5, { startedAt: at(22), fingerprint: '0123456789ab' }),
    );
    const { lines } = history.parse(historyOf('delivery.p50', runs, []));
    expect(
      lines.map(({ target, fingerprint, points }) => [target, fingerprint, points.map(({ value }) => value)]),
    ).toEqual([
      ['uws', 'dc5a9d213400', [743]],
      ['ws', '0123456789ab', [3715]],
      ['ws', 'dc5a9d213400', [1486, 2229]],
    ]);
    expect(lines[0]).toMatchObject({ kind: 'figure', unit: 'us', better: 'lower' });
    expect(lines[0]?.points[0]?.interval?.map(Math.round)).toEqual([713, 773]);
  });

  it('keeps runs that are void or lack the figure', () => {
    const runs = kept(goldenRun('ws', 1, { verdict: voided }), goldenRun('ws', 1, { startedAt: at(29), metrics: {} }));
    const [line] = historyOf('delivery.p99', runs, []).lines;
    expect(line?.points.map(({ value, rig }) => [value, rig])).toEqual([
      [5003, 'void'],
      [null, 'clean'],
    ]);
  });

  it('says from which run on something else differs', () => {
    const later = onMachine({ cores: 4, governor: 'powersave', mitigations: { retbleed: 'IBRS' } });
    const runs = kept(goldenRun('ws', 1), { ...later, startedAt: at(29) });
    const [line] = historyOf('lost', runs, []).lines;
    expect(line?.points.map(({ changed }) => changed)).toEqual([
      [],
      ['machine cores: 2 and 4', 'machine governor: nothing and powersave', 'mitigation of retbleed: nothing and IBRS'],
    ]);
  });

  it('finds from which run on it changed, and what else did since the last valid one', () => {
    const nights = Array.from({ length: 14 }, (_, night) => {
      const startedAt = at(10 + night);
      const times = 1 + (night % 3) / 100;
      if (night === 7) return { ...onMachine({ kernel: 'Linux 7' }), startedAt, verdict: voided };
      if (night < 7) return goldenRun('ws', times, { startedAt });
      return { ...onMachine({ kernel: 'Linux 7' }, times * 1.5), startedAt };
    });
    const [line] = history.parse(historyOf('delivery.p50', kept(...nights), [])).lines;
    expect(line?.changes).toEqual([
      {
        startedAt: at(18),
        before: 750.43,
        after: expect.closeTo(1125.6, 0),
        beside: [expect.stringMatching(/kernel/)],
      },
    ]);
  });

  it('names scenarios without the figure, and unreadable files', () => {
    const unreadable = [{ file: 'results/x/result.json', why: 'it is empty' }];
    const runs = kept(goldenRun('ws', 1, { scenario: 'echo' }), goldenRun('ws', 1, { scenario: 'unheard' }));
    const found = historyOf('delivery.p99', runs, unreadable);
    expect(found).toMatchObject({ lines: [], without: { echo: 1, unheard: 1 }, unreadable });
  });

  it.each([
    ['lost', 0, 'count'],
    ['delivered%', 1, 'share'],
    ['publishAck.min', 307, 'us'],
  ])('can be %s', (metric, value, unit) => {
    expect(historyOf(metric, kept(goldenRun('ws', 1)), []).lines[0]).toMatchObject({ unit, points: [{ value }] });
  });
});

/** A comparison of that day of November, with a head of that version. */
function night(day: number, made: Made, version = '4.8.3'): { directory: string; comparison: Comparison } {
  const { rows, ...comparison } = pairedComparison(made);
  const versioned = rows.map((row) => ({
    ...row,
    runs: row.runs.map(({ directory, result }) => {
      const versions = { ...result.target.versions, ...(row.target === 'head' && { 'socket.io': version }) };
      return { directory, result: { ...result, target: { ...result.target, versions } } };
    }),
  }));
  const startedAt = `2026-11-${day}T04:17:00.000Z`;
  return { directory: `results/${day}`, comparison: { ...comparison, startedAt, rows: versioned } };
}

const times = { base: 1, head: 1.1 };
const nights = [
  night(23, { times: { base: 1, head: 1.3 } }, '4.8.4'),
  night(21, { times }),
  night(22, { times, twinTimes: 1.8 }),
  night(24, { times: { ws: 1, uws: 2 } }),
];
const asked = askedRatio('head/base delivery.p50')!;
const found = history.parse(ratioHistoryOf('head/base delivery.p50', asked, nights, []));

describe('the ratio of two targets over kept comparisons', () => {
  it('is a line by time, of the comparisons that have both', () => {
    const [line, ...others] = found.lines;
    expect(others).toEqual([]);
    expect(line).toMatchObject({ target: 'head to base', kind: 'ratio', unit: 'ratio', better: 'neither' });
    expect(line?.points.map(({ directory, rig }) => [directory, rig])).toEqual([
      ['results/21', 'clean'],
      ['results/22', 'limited'],
      ['results/23', 'clean'],
    ]);
    for (const [place, ratio] of [1.1, 1.1, 1.3].entries())
      expect(Math.abs((line?.points[place]?.value ?? 0) / ratio - 1)).toBeLessThan(0.02);
  });

  it('says from which one on a version of either differs', () => {
    expect(found.lines[0]?.points.map(({ changed }) => changed.length)).toEqual([0, 0, 1]);
    expect(found.lines[0]?.points[2]?.changed[0]).toMatch(/^head .*socket\.io/);
  });

  it('is that of every target to the first, for a figure alone', () => {
    expect(ratiosToFirst('delivery.p50', nights)).toEqual([
      { a: 'head', b: 'base', of: 'delivery.p50' },
      { a: 'uws', b: 'ws', of: 'delivery.p50' },
    ]);
    expect(ratiosToFirst('delivery.p99', nights)).toEqual([]);
  });

  it('is turned where it was kept the other way round', () => {
    const turned = ratioHistoryOf('base/head delivery.last', askedRatio('base/head delivery.last')!, nights, []);
    const [one] = turned.lines[0]?.points ?? [];
    expect(Math.abs((one?.value ?? 0) * 1.1 - 1)).toBeLessThan(0.02);
  });

  it('is read from the form of a threshold', () => {
    expect(askedRatio(' head / base  echo.last ')).toBeUndefined();
    expect(askedRatio('head/base roundTrip.last')).toEqual({ a: 'head', b: 'base', of: 'roundTrip.last' });
    expect(askedRatio('delivery.p50')).toBeUndefined();
  });

  it('is printed as ratios', async () => {
    await expectGolden('ratio-history.txt', {
      'three nights': terminalText(historyDocument(found), { isColored: false, columns: 200 }),
    });
  });
});
