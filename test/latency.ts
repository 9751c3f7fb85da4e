import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { decodeSamples } from '../src/measure/samples/encoding.js';
import { sampleCount } from '../src/measure/samples/samples.js';
import type { RunResult } from '../src/results/result.js';
import type { Ended } from './command.js';
import { keptDirectory, keptResult, type Served } from './workplace.js';

/** Flags of a small latency run. The drain ends when all has arrived: five seconds are for a busy machine. */
export function latencyFlags(subscribers: number, broadcasts: number, warmUp = 3): string[] {
  const sizes = {
    clients: subscribers,
    broadcasts,
    'warm-up': warmUp,
    rate: '50/s',
    drain: '5s',
    'ramp-rate': '500/s',
  };
  return Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
}

/** Flags that name a `ws-json` target which runs already. */
export function targetFlags({ port }: Pick<Served, 'port'>): string[] {
  const at = `127.0.0.1:${port}`;
  return ['--target-url', `ws://${at}/ws`, '--publish-url', `http://${at}/_broadcast`, '--protocol', 'ws-json'];
}

/** The kept result of a run, checked: it parses, its books foot, and every sample that it names is there. */
export function soundResult(ended: Ended): RunResult {
  const result = keptResult(ended);
  const {
    attempted,
    acked = 0,
    refused = 0,
    failed = 0,
    expected,
    delivered = 0,
    lost = 0,
  } = result.ledger as Record<string, number>;
  expect(attempted).toBe(acked + refused + failed);
  expect(expected).toBe(delivered + lost);
  expect(result.verdict.evidence.filter(({ rule }) => rule === 'ledger-broken')).toEqual([]);
  for (const [name, { file, count }] of Object.entries(result.samples)) {
    const body = readFileSync(join(keptDirectory(ended), file));
    expect([name, sampleCount(decodeSamples(body))]).toEqual([name, count]);
    expect(result.metrics[name]?.count).toBe(count);
  }
  return result;
}

/** The entries of a broadcast run's ledger. */
export function broadcastBooks({ ledger }: Pick<RunResult, 'ledger'>) {
  const entry = (name: string): number => {
    const value = ledger[name];
    if (typeof value !== 'number') throw new Error(`the ledger has no ${name}`);
    return value;
  };
  return {
    attempted: entry('attempted'),
    acked: entry('acked'),
    refused: entry('refused'),
    failed: entry('failed'),
    expected: entry('expected'),
    delivered: entry('delivered'),
    lost: entry('lost'),
  };
}

/** How many whole numbers from `low` up to, not including, `high` are the last of `every`: n ≡ every - 1. */
export function countNth(low: number, high: number, every: number): number {
  return Math.floor(high / every) - Math.floor(low / every);
}
