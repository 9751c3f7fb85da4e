import { expect } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { metronomeRecord, recordPaths } from '../../src/targets/metronome/record.js';
import { broadcastBooks, soundResult, targetFlags } from '../latency.js';
import { exitOf, workplace } from '../workplace.js';

export const place = workplace();

export const anycableGo = process.env.ANYCABLE_GO_BIN;

export const [subscribers, broadcasts, warmUp] = [97, 43, 3];

/** Flags of a small run, in which a client is dropped two or three times; `more` comes last and wins. */
export function jitterFlags(...more: string[]): string[] {
  const sizes = { clients: subscribers, broadcasts, 'warm-up': warmUp, rate: '4/s', every: '4s', drain: '3s', seed: 7 };
  return [...Object.entries(sizes).flatMap(([flag, value]) => [`--${flag}`, String(value)]), ...more];
}

/** Runs jitter and checks what holds of every such run: the sums, all drops as planned, everybody back. */
export async function measure(
  flags: string[],
  shards = 1,
  env: Record<string, string | undefined> = {},
): Promise<RunResult> {
  const ended = await place.measureWhole(['run', 'jitter', ...flags], shards, env);
  const result = soundResult(ended);
  expect(result.stop).toEqual({ code: 'completed', evidence: [] });
  expect(ended.code).toBe(exitOf(result));
  expect(result.ledger).toMatchObject({ attempted: broadcasts, acked: broadcasts, notDue: 0, cuts: 0 });
  expect(result.ledger).toMatchObject({ notBack: 0, underWay: 0, cutByCause: {}, notBackByCause: {} });
  const { delivered, lost, expected } = broadcastBooks(result);
  expect([expected, delivered]).toEqual([entry(result, 'live') + entry(result, 'replayed') + lost, expected - lost]);
  expect(result.metrics.offline?.count).toBe(entry(result, 'drops'));
  expect(result.metrics.offline?.min).toBeGreaterThanOrEqual(2_000_000);
  expect(result.metrics.reconnect?.count).toBe(entry(result, 'back'));
  return result;
}

export function entry({ ledger }: RunResult, name: string): number {
  const value = ledger[name];
  if (typeof value !== 'number') throw new Error(`the ledger has no ${name}`);
  return value;
}

/** What a target that replays nothing does to subscribers that lose their network. */
export function losesWhatWasMissed(result: RunResult): void {
  expect(result.ledger).toMatchObject({ replayed: 0, recovered: 0, lostOnline: 0, duplicate: 0, outOfOrder: 0 });
  // Two seconds at 4/s are eight broadcasts; windows at the two ends of the schedule have fewer.
  expect(entry(result, 'lostOffline')).toBeGreaterThan(entry(result, 'drops') * 5);
  expect(entry(result, 'lostOffline')).toBeLessThanOrEqual(entry(result, 'drops') * 10);
}

/** What one does that keeps it for them. */
export function losesNothing(result: RunResult): void {
  const { delivered, expected } = broadcastBooks(result);
  expect(delivered).toBe(expected);
  expect(entry(result, 'replayed')).toBeGreaterThan(entry(result, 'drops') * 5);
  expect(entry(result, 'resumes')).toBe(entry(result, 'back'));
  expect(entry(result, 'recovered')).toBe(entry(result, 'resumes'));
  expect(result.metrics.replayed?.max).toBeGreaterThan(1_500_000);
}

/** What the rig found, and what the metronome wrote down of the same broadcasts. */
export async function held(orders: string[], shards = 1) {
  const target = await place.serve('servers/metronome/main.js', orders);
  const result = await measure([...targetFlags(target), ...jitterFlags()], shards);
  const query = `from=${warmUp}&stream=${result.job.stream}`;
  const answer = await fetch(`http://127.0.0.1:${target.port}${recordPaths.summary}?${query}`);
  const { totals } = metronomeRecord.parse(await answer.json());
  expect(totals).toMatchObject({ broadcasts, isWhole: true, pending: 0 });
  return { result, totals };
}
