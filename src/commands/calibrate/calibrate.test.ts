import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { ProblemError } from '../../contract/problems.js';
import { heldAgainst } from './calibrate.js';
import { type CalibrateOptions, calibrateOptions, gridOf } from './calibration-grid.js';
import type { Truth } from './known-truth.js';

const raw = (values: number[]) => ({ kind: 'raw' as const, values: Uint32Array.from(values) });
const truth = (more: Partial<Truth['totals']> = {}): Truth => ({
  totals: {
    broadcasts: 1006,
    owed: 203_212,
    delivered: 203_000,
    dropped: 212,
    gone: 0,
    pending: 0,
    duplicated: 7,
    reordered: 0,
    unswapped: 0,
    trickled: 0,
    backlogged: 0,
    refusedPublishes: 0,
    refusedConnections: 0,
    isWhole: true,
    ...more,
  },
  asked: raw(new Array(1009).fill(500)),
  done: raw(new Array(1009).fill(600)),
});
const golden = goldenResult();
const measured = goldenResult({
  ledger: { ...golden.ledger, acked: 1006, delivered: 203_000, lost: 212, duplicate: 7 },
  metrics: { ...golden.metrics, delivery: { ...golden.metrics.delivery!, p50: 743, p99: 1601, max: 2003 } },
});

describe('a run compared with known truth', () => {
  it('is trusted where counts are exact and the p99 is within the bound', () => {
    const point = heldAgainst(truth(), measured, 1001);
    expect(point).toMatchObject({ areCountsExact: true, isTrusted: true, error: { p50: 143, p99: 1001, max: 1403 } });
    expect(heldAgainst(truth(), measured, 1000)).toMatchObject({ areCountsExact: true, isTrusted: false });
  });

  it.each([{ dropped: 213 }, { delivered: 203_001 }, { duplicated: 8 }, { broadcasts: 1005 }, { isWhole: false }])(
    'is not trusted where the metronome counted %o',
    (more) => {
      expect(heldAgainst(truth(more), measured, 1e6)).toMatchObject({ areCountsExact: false, isTrusted: false });
    },
  );

  it('that carried no p99 is not trusted, however near its other figures', () => {
    const few = { ...truth(), done: raw(new Array(499).fill(600)) };
    expect(heldAgainst(few, measured, 1e6)).toMatchObject({
      ...{ areCountsExact: true, isTrusted: false, done: { p50: 600, p99: null, max: 600 } },
      error: { p50: 143, p99: null, max: 1403 },
    });
    const delivery = { ...measured.metrics.delivery!, p99: null };
    const short = { ...measured, metrics: { ...measured.metrics, delivery } };
    expect(heldAgainst(truth(), short, 1e6)).toMatchObject({ isTrusted: false, error: { p99: null } });
  });

  it('that delivered nothing is no proof', () => {
    const nothing = { ...measured, metrics: {}, ledger: { acked: 0, delivered: 0, lost: 0, duplicate: 0 } };
    const none = { ...truth({ broadcasts: 0, delivered: 0, dropped: 0, duplicated: 0 }), done: raw([]) };
    expect(heldAgainst(none, nothing, 1e6)).toMatchObject({ areCountsExact: true, isTrusted: false });
  });
});

describe('the grid of a calibration', () => {
  const grid = (more: Partial<CalibrateOptions>) => gridOf({ ...calibrateOptions.parse({}), ...more });

  it('is every combination, the lightest first', () => {
    const points = grid({ subscribers: ['101', '7'], rates: ['41/s', '3/s'], clients: ['wire'], workers: ['1', '2'] });
    expect(points.map(({ load }) => [load.subscribers, load.ratePerSecond, load.workers])).toEqual([
      [7, 3, 1],
      [7, 3, 2],
      [7, 41, 1],
      [7, 41, 2],
      [101, 3, 1],
      [101, 3, 2],
      [101, 41, 1],
      [101, 41, 2],
    ]);
  });

  it('is of each payload, the smallest of a load first', () => {
    const points = grid({ subscribers: ['7'], rates: ['3/s'], clients: ['wire'], payloads: ['1kb', '211b'] });
    expect(points.map(({ load }) => [load.protocol, load.payloadBytes])).toEqual([
      ['ws-json', 211],
      ['ws-json', 1000],
    ]);
  });

  it('is refused where a point can carry no p99', () => {
    expect(() => grid({ subscribers: ['10', '24', '25'], broadcasts: 20 })).toThrow(
      ['--broadcasts: expected at least 50, received 20', '--broadcasts: expected at least 21, received 20'].join('\n'),
    );
  });

  it('is refused with everything that is wrong with it', () => {
    const wrong = {
      ...{ subscribers: ['0'], rates: ['fast'], payloads: ['1b', 'many'], clients: ['browser'], targets: ['ws'] },
      orders: ['speed=7'],
    };
    expect(() => grid(wrong)).toThrow(ProblemError);
    try {
      grid(wrong);
    } catch (error) {
      expect((error as ProblemError).problems.map(({ message }) => message)).toEqual([
        '--subscribers: expected a count of 1 or more, received 0',
        '--rate: expected a rate such as 10/s, received fast',
        '--payload: expected a size that a broadcast can have, such as 200b, received 1b',
        '--payload: expected a size that a broadcast can have, such as 200b, received many',
        '--client: expected wire or library, received browser',
        '--target: expected metronome or metronome-socketio or metronome-anycable, received ws',
        expect.stringMatching(/^--target-option: /),
      ]);
    }
  });
});
