import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { thisTool } from '../../contract/version.js';
import type { Calibration, CalibrationPoint } from '../../results/experiment.js';
import { machineIdOf, trustFileOf, trustOf } from './trust.js';

const { driver: machine } = goldenResult().environment;
const kind = { client: 'wire', protocol: 'ws-json' };
const figures = { p50: 211, p99: 307, max: 503 };
const point = (workers: number, clients: number, isTrusted: boolean): CalibrationPoint => ({
  load: { ...kind, engine: 'js', clients, ratePerSecond: 11, payloadBytes: 200, workers, shards: 1 },
  target: 'metronome',
  ...{ asked: figures, done: figures, measured: figures, error: figures, counts: {} },
  ...{ areCountsExact: true, isTrusted, rig: 'clean', directory: '' },
});
const calibration: Calibration = {
  schema: 2,
  tool: thisTool,
  startedAt: '2026-11-22T03:05:07Z',
  kind: 'calibration',
  machine,
  machineId: machineIdOf(machine),
  orders: {},
  boundUs: 1000,
  points: [point(3, 997, true), point(1, 997, false)],
  skipped: [],
};

let trustDir = '';
beforeAll(async () => {
  trustDir = await mkdtemp(join(tmpdir(), 'trust-'));
  await writeFile(trustFileOf(trustDir, calibration.machineId), JSON.stringify(calibration));
});
afterAll(() => rm(trustDir, { recursive: true }));

const demand = { clients: 997, publishesPerSecond: 11, payloadBytes: 200, broadcasts: 101, durationMs: 10_000 };
type Engine = 'js' | 'native';
const shards = (workers: readonly number[], clocks = workers.map(() => 'here'), engines: readonly Engine[] = ['js']) =>
  workers.map((each, index) => ({
    slice: { index, of: workers.length },
    clockId: clocks[index] as string,
    machine,
    workers: each,
    rig: { engines: [{ name: engines[index % engines.length] as Engine }] },
  }));
const placed = async (...args: [typeof kind, typeof demand, ReturnType<typeof shards>]) =>
  (await trustOf(trustDir, ...args))?.place;

it('trust is said for the loops that it had', async () => {
  expect(await placed(kind, demand, shards([3]))).toBe('inside');
  expect(await placed(kind, demand, shards([2]))).toBe('untried');
  expect(await placed(kind, demand, shards([1]))).toBe('beyond');
});

it('trust adds up the loops of shards on one machine, by those that have the fewest', async () => {
  expect(await placed(kind, demand, shards([2, 2]))).toBe('inside');
  expect(await placed(kind, demand, shards([2, 1]))).toBe('untried');
  // One of them has nobody, and no loop.
  expect(await placed(kind, { ...demand, clients: 1 }, shards([1, 0]))).toBe('inside');
  expect(await placed(kind, { ...demand, clients: 2 * 997 }, shards([3, 3], ['here', 'there']))).toBe('inside');
});

it('trust is not said of other payloads and protocols', async () => {
  expect(await placed(kind, { ...demand, payloadBytes: 100_000 }, shards([3]))).toBe('untried');
  expect(await placed({ ...kind, protocol: 'socketio' }, demand, shards([3]))).toBe('untried');
});

it('trust is not said of another engine, nor of several on one machine', async () => {
  const on = async (...engines: Engine[]) =>
    await trustOf(trustDir, kind, demand, shards([3, 3], ['here', 'here'], engines));
  expect(await on('js')).toMatchObject({ place: 'inside', load: { engine: 'js' } });
  const other = { place: 'untried', load: null, p99ErrorUs: null };
  expect(await on('native')).toMatchObject({ ...other, otherEngine: 'native' });
  expect(await on('native', 'js')).toMatchObject({ ...other, otherEngine: 'js + native' });
  // Each machine is on one engine, and one of them on an untried one.
  const apart = await trustOf(
    trustDir,
    kind,
    { ...demand, clients: 2 * 997 },
    shards([3, 3], ['here', 'there'], ['js', 'native']),
  );
  expect(apart).toMatchObject({ place: 'untried', otherEngine: 'native' });
  // A load that is too hard for what was tried is no matter of the engine.
  expect(await trustOf(trustDir, kind, { ...demand, clients: 1009 }, shards([3]))).not.toHaveProperty('otherEngine');
});

it('trust is not said by a calibration that names no engine', async () => {
  const older = await mkdtemp(join(tmpdir(), 'trust-'));
  const points = calibration.points.map(({ load: { engine: _, ...load }, ...each }) => ({ ...each, load }));
  await writeFile(trustFileOf(older, calibration.machineId), JSON.stringify({ ...calibration, points }));
  expect(await trustOf(older, kind, demand, shards([3]))).toMatchObject({ place: 'untried', otherEngine: 'js' });
  const library = shards([3]).map((shard) => ({ ...shard, rig: {} }));
  expect(await trustOf(older, { ...kind, client: 'library' }, demand, library)).not.toHaveProperty('otherEngine');
  await rm(older, { recursive: true });
});

it('trust names the load that says so, and nothing where the machine is not known', async () => {
  expect(await trustOf(trustDir, kind, demand, shards([3]))).toEqual({
    ...{ place: 'inside', p99ErrorUs: 307, load: calibration.points[0]?.load, calibratedAt: calibration.startedAt },
  });
  const another = shards([3]).map((shard) => ({ ...shard, machine: { ...machine, cpu: 'another' } }));
  expect(await placed(kind, demand, another)).toBe('uncalibrated');
  expect(await trustOf(trustDir, kind, { ...demand, broadcasts: 0 }, shards([3]))).toBeNull();
});
