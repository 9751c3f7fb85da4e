import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { named } from '../../../test/refusal.js';
import { problemsBy } from '../../../test/refusals.js';
import type { CalibrationPoint } from '../../results/experiment.js';
import { type CalibrateOptions, calibrateOptions, gridOf } from './calibration-grid.js';
import { onEngine, settled } from './command.js';
import { doneSinceSent, heldAgainst, loadDone, type MetronomeTruth, rateOf } from './truth.js';

const raw = (values: number[]) => ({ kind: 'raw' as const, values: Uint32Array.from(values) });
const truth = (more: Partial<MetronomeTruth['totals']> = {}): Omit<MetronomeTruth, 'donePerSecond'> => ({
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

it('a run compared with known truth is trusted where counts are exact and the p99 is within the bound', () => {
  const point = heldAgainst(truth(), measured, 1001);
  expect(point).toMatchObject({ areCountsExact: true, isTrusted: true, error: { p50: 143, p99: 1001, max: 1403 } });
  expect(heldAgainst(truth(), measured, 1000)).toMatchObject({ areCountsExact: true, isTrusted: false });
});

it.each([{ dropped: 213 }, { delivered: 203_001 }, { duplicated: 8 }, { broadcasts: 1005 }, { isWhole: false }])(
  'a run compared with known truth is not trusted where the metronome counted %o',
  (more) => {
    expect(heldAgainst(truth(more), measured, 1e6)).toMatchObject({ areCountsExact: false, isTrusted: false });
  },
);

it('a run compared with known truth that carried no p99 is not trusted, however near its other figures', () => {
  const few = { ...truth(), done: raw(new Array(499).fill(600)) };
  expect(heldAgainst(few, measured, 1e6)).toMatchObject({
    ...{ areCountsExact: true, isTrusted: false, done: { p50: 600, p99: null, max: 600 } },
    error: { p50: 143, p99: null, max: 1403 },
  });
  const delivery = { ...measured.metrics.delivery!, p99: null };
  const short = { ...measured, metrics: { ...measured.metrics, delivery } };
  expect(heldAgainst(truth(), short, 1e6)).toMatchObject({ isTrusted: false, error: { p99: null } });
});

it('a run compared with known truth that delivered nothing is no proof', () => {
  const nothing = { ...measured, metrics: {}, ledger: { acked: 0, delivered: 0, lost: 0, duplicate: 0 } };
  const none = { ...truth({ broadcasts: 0, delivered: 0, dropped: 0, duplicated: 0 }), done: raw([]) };
  expect(heldAgainst(none, nothing, 1e6)).toMatchObject({ areCountsExact: true, isTrusted: false });
});

describe('the grid of a calibration', () => {
  const grid = (more: Partial<CalibrateOptions>) => gridOf({ ...calibrateOptions.parse({}), ...more });
  const refused = (more: Partial<CalibrateOptions>) => problemsBy(() => grid(more));

  it('is every combination, the lightest first', () => {
    const points = grid({ clients: ['101', '7'], rates: ['41/s', '3/s'], kinds: ['wire'], workers: ['1', '2'] });
    expect(points.map(({ load }) => [load.clients, load.ratePerSecond, load.workers])).toEqual([
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

  it('has the wire clients on each engine, and those of libraries on none', () => {
    const points = grid({ clients: ['7'], rates: ['3/s'], engines: ['js', 'auto'] });
    const ran = points.map((point) => onEngine(point, { name: 'native' }).load);
    expect(ran.map(({ client, engine }) => [client, engine])).toEqual([
      ['wire', 'js'],
      ['wire', 'native'],
      ['library', undefined],
    ]);
  });

  it('is of each payload, the smallest of a load first', () => {
    const points = grid({ clients: ['7'], rates: ['3/s'], kinds: ['wire'], payloads: ['1kb', '211b'] });
    expect(points.map(({ load }) => [load.protocol, load.payloadBytes])).toEqual([
      ['ws-json', 211],
      ['ws-json', 1000],
    ]);
  });

  it('is refused where a point can carry no p99', () => {
    expect(refused({ clients: ['10', '24', '25'], broadcasts: 20 })).toEqual([
      named('badOption', '--broadcasts', 50, 20),
      named('badOption', '--broadcasts', 21, 20),
    ]);
  });

  it('is refused with everything that is wrong with it', () => {
    const wrong = {
      ...{ clients: ['0'], rates: ['fast'], payloads: ['1b', 'many'], kinds: ['browser'], targets: ['ws'] },
      engines: ['steam'],
      orders: ['speed=7'],
    };
    expect(refused(wrong)).toEqual([
      named('badOption', '--clients:', 1, 0),
      named('badOption', '--rate:', 'fast'),
      named('badOption', '--payload:', '1b'),
      named('badOption', '--payload:', 'many'),
      named('badOption', '--client', 'wire', 'library', 'browser'),
      named('badOption', '--engine', 'native', 'js', 'steam'),
      named('badOption', '--target', 'metronome', 'metronome-socketio', 'metronome-anycable', 'ws'),
      named('badOption', '--target-option', 'speed'),
    ]);
  });
});

describe('what stands of a point', () => {
  const figures = { p50: null, p99: null, max: null };
  const point = (p99: number, areCountsExact = true): CalibrationPoint => ({
    load: { ...kind, clients: 7, ratePerSecond: 40, payloadBytes: 200, workers: 1, shards: 1 },
    ...{ target: 'metronome', asked: figures, done: figures, measured: figures, error: { ...figures, p99 } },
    ...{ counts: {}, areCountsExact, isTrusted: areCountsExact && p99 <= 1000, rig: 'clean', directory: '' },
  });
  const kind = { client: 'wire', protocol: 'ws-json' };
  const standing = (...points: CalibrationPoint[]) => {
    const made = points.findIndex((_, at) => settled(points.slice(0, at + 1))) + 1;
    const stands = settled(points.slice(0, made));
    return [stands?.error.p99, stands?.isTrusted, made];
  };

  it('is the larger error of two that agree, else the middle one of three', () => {
    expect(standing(point(307), point(503), point(7))).toEqual([503, true, 2]);
    expect(standing(point(7001), point(5003), point(7))).toEqual([7001, false, 2]);
    expect(standing(point(307), point(7001), point(503))).toEqual([503, true, 3]);
    expect(standing(point(307), point(7001), point(5003))).toEqual([5003, false, 3]);
  });

  it('is the one with wrong counts', () => {
    expect(standing(point(307), point(503, false), point(7))).toEqual([503, false, 2]);
  });

  it('is of the rate that the metronome reached', () => {
    const { load } = point(7);
    expect(loadDone(load, { donePerSecond: 39.3 })).toEqual({ load });
    expect(loadDone(load, { donePerSecond: null })).toEqual({ load });
    expect(loadDone(load, { donePerSecond: 24 })).toEqual({
      load: { ...load, ratePerSecond: 24 },
      offeredPerSecond: 40,
    });
  });
});

it('the truth of a delivery is the way of its publish and the metronome’s delay', () => {
  const broadcasts = [
    { sequence: 11, receivedAtNs: 5_000_307_999 },
    { sequence: 12, receivedAtNs: 5_100_211_000 },
  ];
  const sentAtUs = (sequence: number): number => (sequence === 11 ? 5_000_101 : 5_100_000);
  const writes = Uint32Array.of(12, 20_003, 11, 20_001, 11, 7);
  expect(doneSinceSent(broadcasts, writes, sentAtUs)).toEqual({
    kind: 'raw',
    values: Uint32Array.of(7 + 206, 20_001 + 206, 20_003 + 211),
  });
});

it('survives the wrap of 32 bits', () => {
  const aroundNs = 2 ** 32 * 1000;
  const broadcasts = [{ sequence: 0, receivedAtNs: aroundNs + 150_000 }];
  const sent = Uint32Array.of((aroundNs - 50_000) / 1000);
  expect(doneSinceSent(broadcasts, Uint32Array.of(0, 7), () => sent[0] as number)).toEqual({
    kind: 'raw',
    values: Uint32Array.of(207),
  });
});

it('the rate of a metronome is that of its writes, which a backlog makes later', () => {
  const broadcasts = [0, 1, 2, 3, 4].map((sequence) => ({ sequence, receivedAtNs: sequence * 100_000_000 }));
  const writes = (lateUs: number) =>
    Uint32Array.from(
      broadcasts.flatMap(({ sequence }) => [-7, 0, 11].flatMap((us) => [sequence, 20_003 + us + sequence * lateUs])),
    );
  expect(rateOf(broadcasts, writes(0))).toBeCloseTo(10, 9);
  expect(rateOf(broadcasts, writes(100_000))).toBeCloseTo(5, 9);
  expect(rateOf(broadcasts.slice(0, 1), writes(0))).toBeNull();
  expect(rateOf(broadcasts, new Uint32Array(0))).toBeNull();
});
