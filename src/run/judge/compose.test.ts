import { describe, expect, it } from 'vitest';
import { goldenShard } from '../../../test/golden-result.js';
import { latency } from '../../../test/scenarios.js';
import { summarize } from '../../measure/samples/distribution.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { Series } from '../../measure/series.js';
import { type TcpCounts, tcpNames } from '../../measure/tcp.js';
import type { ShardPart } from '../../results/result.js';
import { bytesPerClient, linkFacts } from './compose.js';

const loadAtMs = 1709;
const baseBytes = 61_000_003;
const perConnection = 5021;

/** A ramp of 503 a second for 13 seconds, then quiet. */
const ramp = { opened: Array<number>(13).fill(503) };
const openAtMs = (atMs: number): number => Math.min(13 * 503, Math.max(0, ((atMs - loadAtMs) / 1000) * 503));

/** Even between -1 and 1, of a fixed seed: a step of the minimal standard generator each. */
function noise(seed = 7): () => number {
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (2 * seed) / 2_147_483_647 - 1;
  };
}

/** Resident bytes once a second, from before the load until well after the ramp. */
function series(more: Partial<Series> = {}, { noiseBytes = 0, part = 1, untilMs = 21_000, fromMs = 0 } = {}): Series {
  const next = noise();
  const points = Array.from({ length: 22 }, (_, n) => n * 1000 + 3)
    .filter((atMs) => atMs <= untilMs && atMs >= fromMs)
    .map((atMs) => ({ atMs, value: baseBytes + perConnection * openAtMs(atMs) * part + noiseBytes * next() }));
  return { source: 'proc', name: 'rssBytes', unit: 'bytes', points, ...more };
}

describe('a footprint', () => {
  it('is the slope over the ramp, of the points of the ramp alone', () => {
    expect(bytesPerClient([series()], ramp, loadAtMs)).toEqual({
      bytesPerConnection: expect.closeTo(perConnection, 3),
      errorBytes: expect.closeTo(0, 3),
      points: 13,
    });
  });

  it.each([100_003, 1_000_003])('lies within its error, whatever the noise: ±%d bytes', (noiseBytes) => {
    const found = bytesPerClient([series({}, { noiseBytes })], ramp, loadAtMs);
    expect(found?.errorBytes).toBeGreaterThan(0);
    expect(Math.abs((found?.bytesPerConnection ?? 0) - perConnection)).toBeLessThan(3 * (found?.errorBytes ?? 0));
  });

  it('is none without a ramp, without memory, or with too little of it', () => {
    expect(bytesPerClient([series()], {}, loadAtMs)).toBeNull();
    expect(bytesPerClient([], ramp, loadAtMs)).toBeNull();
    expect(bytesPerClient([series({ name: 'pssBytes' })], ramp, loadAtMs)).toBeNull();
    expect(bytesPerClient([series({}, { untilMs: 9000 })], ramp, loadAtMs)).toBeNull();
    expect(bytesPerClient([series({}, { untilMs: 10_000 })], ramp, loadAtMs)?.points).toBe(8);
    expect(bytesPerClient([series()], { opened: [211] }, loadAtMs)).toBeNull();
  });

  it('is none of a ramp that is over in a moment, whose course within a second nobody knows', () => {
    expect(bytesPerClient([series()], { opened: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5030] }, loadAtMs)).toBeNull();
  });

  it('is that of all processes together', () => {
    const parts = [0.5, 0.3, 0.2].map((part, index) => series({ process: `${4703 + index}` }, { part }));
    expect(bytesPerClient(parts, ramp, loadAtMs)?.bytesPerConnection).toBeCloseTo(perConnection, 3);
  });

  it('takes no instant at which a process is missing', () => {
    const parts = [
      series({ process: '4703' }, { part: 0.5 }),
      series({ process: '4721' }, { part: 0.5, fromMs: 5000 }),
    ];
    expect(bytesPerClient(parts, ramp, loadAtMs)).toMatchObject({
      bytesPerConnection: expect.closeTo(perConnection, 3),
      points: 10,
    });
  });

  it('is that of what was seen when the source died in the ramp', () => {
    const parts = [
      series({ process: '4703', endedBecause: 'process 4703 is gone' }, { part: 0.5, untilMs: 11_000 }),
      series({ process: '4721' }, { part: 0.5 }),
    ];
    expect(bytesPerClient(parts, ramp, loadAtMs)).toMatchObject({
      bytesPerConnection: expect.closeTo(perConnection, 3),
      points: 9,
    });
  });

  it('goes on with a process that was out of sight for a while', () => {
    const parts = [
      series({ process: '4703', endedBecause: 'not readable' }, { part: 0.5, untilMs: 5000 }),
      series({ process: '4703' }, { part: 0.5, fromMs: 8000 }),
      series({ process: '4721' }, { part: 0.5 }),
    ];
    expect(bytesPerClient(parts, ramp, loadAtMs)).toMatchObject({
      bytesPerConnection: expect.closeTo(perConnection, 3),
      points: 10,
    });
  });

  it('takes the nearest source that has any, and never two', () => {
    const far = series({ source: 'prometheus' }, { part: 3 });
    expect(bytesPerClient([far, series()], ramp, loadAtMs)?.bytesPerConnection).toBeCloseTo(perConnection, 3);
    expect(bytesPerClient([far, series({ points: [] })], ramp, loadAtMs)?.bytesPerConnection).toBeCloseTo(
      3 * perConnection,
      3,
    );
  });

  it('counts those that closed during the ramp, and leaves out what failed and what came after the peak', () => {
    const withLoss = {
      opened: Array<number>(13).fill(613),
      'closed reset': [...Array<number>(13).fill(110), 0, 0, 1009],
      'failed reset': Array<number>(13).fill(97),
    };
    expect(bytesPerClient([series()], withLoss, loadAtMs)).toMatchObject({
      bytesPerConnection: expect.closeTo(perConnection, 3),
      points: 13,
    });
  });
});

const delivery: Samples = { kind: 'raw', values: Uint32Array.from({ length: 1000 }, (_, at) => at + 1) };

/** What is known of a run of two shards that counted so in namespaces of theirs. */
function factsOf(...tcp: (Partial<TcpCounts> | undefined)[]) {
  const parts = tcp.map((more, index): ShardPart => {
    const whole = goldenShard(index);
    const counts = { ...(Object.fromEntries(tcpNames.map((name) => [name, 0])) as TcpCounts), ...more };
    const shard = { ...whole.rig.shard, ...(more && { tcp: { namespace: `net:[${index}]`, counts } }) };
    return { url: '', state: 'complete', why: '', result: { ...whole, rig: { ...whole.rig, shard } } };
  });
  const names = ['delivery', 'publishAck', 'publishInTarget', 'connect', 'publishLag'];
  const samples = Object.fromEntries(names.map((name) => [name, delivery]));
  return linkFacts(latency, parts, samples, { delivery: summarize(delivery) });
}

it('figures without their slowest share stand at the ranks below it', () => {
  const facts = factsOf({ dataSent: 300, sentAgain: 3 }, { dataSent: 200, sentAgain: 2 });
  expect(facts?.lateShare).toBeCloseTo(0.02);
  expect(facts?.least.delivery).toEqual({ p50: 480, p90: 880, p95: 930, p99: 970, p999: 979, max: 980 });
});

it('is of the metrics that the network is in: none of the rig, of the ramp, and of the target’s own clock', () => {
  expect(Object.keys(factsOf({ received: 500, outOfOrder: 5 })?.least ?? {})).toEqual(['delivery', 'publishAck']);
});

it('is nothing where nothing was lost, or nobody counted', () => {
  expect(factsOf({ dataSent: 500, received: 500 }, {})).toBeUndefined();
  expect(factsOf(undefined, undefined)).toBeUndefined();
});
