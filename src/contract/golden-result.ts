import { type GaugeSeries, shardSource } from './gauges.js';
import type { RunResult, ShardPart } from './result.js';
import type { ShardResult } from './shard.js';

/** For tests: what one shard of two measured, as a real bench-runner sends it. */
export function goldenShard(index: number, more: Partial<ShardResult> = {}): ShardResult {
  return {
    slice: { index, of: 2 },
    bootId: `49ac5d31-942c-499e-bfbf-7fcf0a5ccaa${index}`,
    clockId: '93c18369-a375-47f8-82d0-85d699c4464c/time:[4026531834]',
    version: '0.1.0',
    machine: {
      kernel: 'Linux 6.18.44',
      cpu: 'AMD EPYC',
      cores: 2,
      memoryBytes: 25_276_510_208,
      runtime: 'node 20.20.2',
    },
    workers: 1,
    counts: { attempted: 503, subscribers: 101, received: 101_606, asked: 101, offeredPerSecond: 5 },
    causes: { connect: {}, close: {}, publish: {} },
    samples: { delivery: { kind: 'raw', count: 50_803 }, publishAck: { kind: 'raw', count: 503 } },
    series: ['acked', 'refused', 'failed', 'delivered', 'missing'],
    timeline: { opened: [67, 34] },
    stages: [
      { name: 'ramp', atMs: 6.5, durationMs: 553.2 },
      { name: 'publish', atMs: 811.1, durationMs: 100_607.3 },
    ],
    rig: {
      shard: {
        cpuMs: 7013,
        rssPeakBytes: 125_706_240,
        coreBusy: [0.31, 0.29],
        descriptorsUsed: 227,
        descriptorLimit: 20_000,
        timeWait: 11,
        coreSpeed: [503.1, 499.7],
      },
      workers: [
        {
          role: 'audience',
          index: 0,
          windowMs: 100_607.3,
          loopDelayP99Ms: 1.7,
          loopDelayMaxMs: 13.1,
          utilization: 0.23,
          cpuMs: 5011.7,
          runQueueWaitMs: 307.1,
          gcCount: 17,
          gcTotalMs: 41.3,
          gcMaxMs: 3.7,
        },
        {
          role: 'publisher',
          index: 0,
          windowMs: 100_607.3,
          loopDelayP99Ms: 2.3,
          loopDelayMaxMs: 11.9,
          utilization: 0.11,
          cpuMs: null,
          runQueueWaitMs: null,
          gcCount: 0,
          gcTotalMs: 0,
          gcMaxMs: 0,
        },
      ],
    },
    stop: { code: 'completed', evidence: [] },
    ...more,
  };
}

const part = (index: number): ShardPart => ({
  url: `http://127.0.0.1:${41_297 + index}`,
  state: 'complete',
  why: '',
  result: goldenShard(index),
});

const goldenGauges = (index: number): GaugeSeries[] => [
  {
    source: shardSource(index),
    name: 'open',
    unit: 'count',
    points: [
      { atMs: 204.7, value: 0 },
      { atMs: 1204.7, value: 101 },
    ],
  },
  {
    source: shardSource(index),
    name: 'deliveriesPerSecond',
    unit: 'perSecond',
    points: [
      { atMs: 204.7, value: 0 },
      { atMs: 1204.7, value: 1010 },
    ],
  },
  {
    source: shardSource(index),
    name: 'loopDelayMs',
    unit: 'ms',
    points: [
      { atMs: 204.7, value: 0 },
      { atMs: 1204.7, value: 2.3 },
    ],
  },
];

/** For tests: a clean run of 1006 broadcasts to 202 subscribers over two shards, as it is kept. */
export function goldenResult(more: Partial<RunResult> = {}): RunResult {
  return {
    schema: 1,
    tool: { name: 'ringside-bench', version: '0.1.0' },
    scenario: 'latency',
    target: {
      name: 'ws',
      protocol: 'ws-json',
      client: 'wire',
      wsUrl: 'ws://127.0.0.1:38441/ws',
      publishUrl: 'http://127.0.0.1:38441/_broadcast',
      isOurs: true,
      versions: { node: '20.20.2', ws: '8.23.0' },
      settings: {},
    },
    job: {
      options: {
        subscribers: 202,
        broadcasts: 1006,
        ratePerSecond: 10,
        payloadBytes: 200,
        warmUp: 11,
        drainMs: 5000,
      },
      load: { client: 'wire', rampRatePerSecond: 500, localAddresses: [] },
      shards: 2,
      seed: 3_593_012_614,
      runId: '7b39ba6e',
      stream: 'ringside-7b39ba6e',
    },
    sources: { target: 'flag', subscribers: 'flag', broadcasts: 'environment', warmUp: 'file', drainMs: 'default' },
    shape: { scenario: 'latency', options: { subscribers: 202 }, client: 'wire', maxInFlight: 64, targetProcesses: 1 },
    fingerprint: 'dc5a9d213400',
    startedAt: '2026-11-21T09:40:15.682Z',
    shards: [part(0), part(1)],
    ledger: {
      attempted: 1006,
      acked: 1006,
      refused: 0,
      failed: 0,
      expected: 203_212,
      delivered: 203_212,
      lost: 0,
      duplicate: 0,
      outOfOrder: 0,
      late: 0,
    },
    metrics: {
      delivery: {
        unit: 'us',
        count: 101_606,
        min: 211,
        p50: 743,
        p90: 1409,
        p95: 2003,
        p99: 5003,
        p999: 13_007,
        max: 41_011,
        mean: 907.3,
        intervals: {},
      },
      deliveryFromIntended: {
        unit: 'us',
        count: 101_606,
        min: 223,
        p50: 757,
        p90: 1423,
        p95: 2017,
        p99: 5021,
        p999: 13_033,
        max: 41_023,
        mean: 919.1,
        intervals: {},
      },
      publishAck: {
        unit: 'us',
        count: 1006,
        min: 307,
        p50: 601,
        p90: 1103,
        p95: 1301,
        p99: 2309,
        p999: null,
        max: 7001,
        mean: 653.9,
        intervals: {},
      },
      connect: {
        unit: 'us',
        count: 0,
        min: null,
        p50: null,
        p90: null,
        p95: null,
        p99: null,
        p999: null,
        max: null,
        mean: null,
        intervals: {},
      },
    },
    thresholds: [],
    verdict: { rig: 'clean', evidence: [] },
    stop: { code: 'completed', evidence: [] },
    environment: {
      driver: {
        kernel: 'Linux 6.18.44',
        cpu: 'AMD EPYC',
        cores: 2,
        memoryBytes: 25_276_510_208,
        runtime: 'node 20.20.2',
      },
      plannedMs: 107_104,
      elapsedMs: 103_217.8,
      offeredPerSecond: 10,
      achievedPerSecond: 9.98,
      loadAtMs: 211.3,
      stages: [
        { name: 'ramp', fromMs: 211.3, toMs: 764.5 },
        { name: 'publish', fromMs: 1015.9, toMs: 101_623.2 },
      ],
      timeline: { opened: [134, 68] },
      observations: [
        {
          source: 'proc',
          name: 'rssBytes',
          unit: 'bytes',
          process: '4711',
          points: [{ atMs: 3.1, value: 61_865_984 }],
        },
      ],
      gauges: [0, 1].flatMap((index) => goldenGauges(index)),
      overTime: {
        delivery: [
          { fromMs: 2115.9, toMs: 3115.9, count: 1010, p50: 739.5, p99: 5013.5 },
          { fromMs: 3115.9, toMs: 102_715.9, count: 100_596, p50: 743.5, p99: 5003.5 },
        ],
        publishAck: [{ fromMs: 2115.9, toMs: 102_715.9, count: 1006, p50: 601.5, p99: 2309.5 }],
      },
      footprint: null,
      trust: null,
    },
    samples: {
      delivery: { file: 'samples/delivery.bin', kind: 'raw', count: 101_606 },
      publishAck: { file: 'samples/publishAck.bin', kind: 'histogram', count: 1006 },
    },
    ...more,
  };
}
