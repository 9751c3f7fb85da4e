import { expect } from 'vitest';
import { type ExitName, exitCodes } from '../../src/contract/exit-codes.js';
import type { StopCode } from '../../src/contract/stop-reasons.js';
import type { RunResult } from '../../src/results/result.js';
import type { Ended } from '../command.js';
import { doors } from '../doors.js';
import { recordOf } from '../known-truth.js';
import { broadcastBooks, latencyFlags, soundResult, targetFlags } from '../latency.js';
import { type Served, workplace } from '../workplace.js';

export const place = workplace();
export const door = doors();

const metronome = 'servers/metronome/main.js';

export interface Measured {
  ended: Ended;
  result: RunResult;
  target: Served;
}

/** Runs latency against a metronome with these orders. */
export async function measure(orders: string[], flags: string[], served?: Served, shards = 1): Promise<Measured> {
  const target = served ?? (await place.serve(metronome, orders));
  const ended = await place.measureWhole(['run', 'latency', ...targetFlags(target), ...flags], shards);
  return { ended, result: soundResult(ended), target };
}

export const serveMetronome = (): Promise<Served> => place.serve(metronome);

/** Checks that drops, duplicates and a delay of 43 ms are found to the last delivery. */
export async function foundOut(shards: number): Promise<void> {
  const orders = ['--drop=0.14', '--duplicate=0.2', '--delay=constant:43ms', '--seed=7'];
  const { result, target } = await measure(orders, [...latencyFlags(31, 23), '--drain', '2s'], undefined, shards);
  const { totals } = await recordOf(target, 3);
  expect(totals).toMatchObject({ broadcasts: 23, owed: 31 * 23, pending: 0, isWhole: true });
  expect(totals.dropped * totals.duplicated).toBeGreaterThan(0);
  expect(result.ledger).toEqual({
    ...{ attempted: 23, acked: 23, refused: 0, failed: 0, expected: 31 * 23 },
    ...{ delivered: totals.delivered, lost: totals.dropped, duplicate: totals.duplicated, outOfOrder: 0, late: 0 },
  });
  expect(result.stop.code).toBe('completed');
  const { delivery, deliveryFromIntended, deliveryAtLeast, publishAck } = result.metrics;
  expect(delivery?.min).toBeGreaterThanOrEqual(43_000);
  expect(delivery?.p50).toBeGreaterThanOrEqual(43_000);
  expect(deliveryFromIntended?.p50).toBeGreaterThanOrEqual(delivery?.p50 as number);
  expect(deliveryAtLeast?.p50).toBeLessThanOrEqual(delivery?.p50 as number);
  // What was lost ranks behind all that came.
  for (const metric of [delivery, deliveryFromIntended, deliveryAtLeast]) {
    if (shards === 1) expect(metric?.unfinished).toBe(totals.dropped);
    expect([metric?.p90, metric?.max]).toEqual([null, null]);
  }
  // Each shard times the deliveries of its own broadcasts: with one shard, all of them.
  if (shards === 1) expect(delivery?.count).toBe(totals.delivered);
  expect(publishAck?.count).toBe(23);
}

export const lostAll = '--drop=1';
export const refusing = '--refuse-publish=0.3';

/** Checks how a run ends whose target loses or refuses a part while it goes to its end. */
export async function fallsShort(order: string, thresholds: string[], stop: StopCode, exit: ExitName): Promise<void> {
  const asked = thresholds.flatMap((text) => ['--threshold', text]);
  const flags = [...latencyFlags(7, 23), '--drain', '1s', ...asked];
  const { ended, result, target } = await measure([order, '--seed=7'], flags);
  const { totals } = await recordOf(target, 3);
  const refused = totals.refusedPublishes;
  const acked = 23 - refused;
  expect(result.stop.code).toBe(stop);
  expect(refused > 0).toBe(order === refusing);
  expect(result.ledger).toMatchObject({ attempted: 23, acked, refused, failed: 0, expected: 7 * acked });
  expect(result.ledger).toMatchObject({ delivered: order === refusing ? 7 * acked : 0 });
  const rules = result.verdict.evidence.map(({ rule }) => rule);
  expect([rules.includes('nothing-delivered'), rules.includes('cut-short')]).toEqual([exit === 'rig', false]);
  // A rig without a core of its own limits the run, and that is graver.
  expect(ended.code).toBe(exitCodes[result.verdict.rig === 'clean' ? exit : 'rig'].code);
}

/** Checks that a run is void because of its target, with this cause among the evidence. */
export function expectVoid({ ended, result }: Measured, stop: StopCode, cause?: string): void {
  expect([ended.code, result.stop.code, result.verdict.rig]).toEqual([4, stop, 'void']);
  if (cause !== undefined) expect(result.stop.evidence.join()).toContain(cause);
}

export const nothingTaken = { acked: 0, expected: 0, delivered: 0, lost: 0 };
export const nothing = { ...nothingTaken, attempted: 0, refused: 0, failed: 0 };

/** Checks a run whose target is hit by a fault at the 68th publish, of which three are warm-up. */
export async function hitInTheMiddle(fault: (target: Served) => unknown): Promise<void> {
  const target = await serveMetronome();
  let published = 0;
  const port = await door.posts(target.port, () => (++published === 68 ? fault(target) : undefined));
  const flags = [...latencyFlags(7, 499), '--publish-url', `http://127.0.0.1:${port}/_broadcast`];
  const measured = await measure([], flags, target);
  expectVoid(measured, 'targetGone');
  expect(measured.result.shards).toMatchObject([{ state: 'partial', result: { stop: { code: 'targetGone' } } }]);
  const { attempted, delivered } = broadcastBooks(measured.result);
  // The last acks may be lost with the connections.
  expect([delivered > 0, delivered <= 7 * 64]).toEqual([true, true]);
  expect(attempted).toBeLessThan(499);
}
