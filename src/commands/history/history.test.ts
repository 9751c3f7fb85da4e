import { describe, expect, it } from 'vitest';
import { goldenRun, voided } from '../../../test/kept-golden.js';
import type { RunResult } from '../../results/result.js';
import { history, historyOf } from './history.js';

const at = (day: number): string => `2026-11-${day}T09:40:15.682Z`;
const kept = (...results: RunResult[]) => results.map((result, index) => ({ directory: `results/${index}`, result }));

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
    const { environment } = goldenRun('ws', 1);
    const later = { ...environment, driver: { ...environment.driver, cores: 4 } };
    const runs = kept(goldenRun('ws', 1), goldenRun('ws', 1, { startedAt: at(29), environment: later }));
    const [line] = historyOf('lost', runs, []).lines;
    expect(line?.points.map(({ changed }) => changed)).toEqual([[], ['machine cores: 2 and 4']]);
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
