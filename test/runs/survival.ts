import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import type { Command } from '../command.js';
import { latencyFlags, soundResult } from '../latency.js';
import { shown, started } from '../live.js';
import { naming } from '../refusal.js';
import { voidedBy, workplace } from '../workplace.js';

export const place = workplace();
/** A second signal within a second counts as the same press. */
const anotherPressMs = 1100;

export const start = (flags: string[]): Command =>
  place.ringside(['run', 'latency', '--target', 'ws', '--watch', ...flags]);

/** Waits until broadcasts have arrived, those of the warm-up behind them, whatever the number of subscribers. */
export const midRun = (driver: Command) =>
  shown(
    driver,
    ({ stage, figures }) => stage === 'publish' && (figures.received ?? 0) >= 7 * (figures.subscribers ?? 0),
  );

/** The one process of a run whose command line holds `part`, or the last of several. */
export function pidOf(driver: Command, part: string): number {
  const found = driver.family(part).at(-1);
  if (!found) throw new Error(`no process with ${part} among ${JSON.stringify(driver.family())}`);
  return found.pid;
}

export const isTarget = 'servers/ws/main.js';

const stages = { ramp: { flags: ['--ramp-rate', '11/s'], there: started }, publishing: { flags: [], there: midRun } };

/** Checks that Ctrl-C in a stage keeps what was measured, and leaves no process. */
export async function interrupted(stage: keyof typeof stages): Promise<void> {
  const { flags, there } = stages[stage];
  const driver = start([...latencyFlags(101, 997), ...flags]);
  await there(driver);
  expect(driver.family(isTarget)).toHaveLength(1);
  driver.kill('SIGINT');
  const ended = await driver.ended;
  expect(ended.code).toBe(130);
  const result = soundResult(ended);
  const { stop, shards, verdict, ledger } = result;
  if (stage === 'ramp') {
    expect([stop.code, verdict.rig, ledger.attempted]).toEqual(['interrupted', 'void', 0]);
    expect(shards).toMatchObject([{ state: 'partial' }]);
  } else {
    expect([stop.code, voidedBy(result), ledger.lost]).toEqual(['endedByUser', [], 0]);
    expect(stop.evidence).toEqual([naming(`${ledger.acked} broadcasts`)]);
    expect(shards).toMatchObject([{ state: 'complete' }]);
  }
  expect(driver.family()).toEqual([]);
}

/** Checks that nothing outlives a driver that ends without waiting for its shards. */
export async function quits(end: 'SIGKILL' | 'a second Ctrl-C'): Promise<void> {
  const driver = start([...latencyFlags(31, 997), '--local-shards', '2']);
  await driver.said('stderr', / publish /);
  expect(driver.family()).toHaveLength(4);
  if (end === 'SIGKILL') driver.kill('SIGKILL');
  else {
    driver.kill('SIGINT');
    await driver.said('stderr', /\n\n.+\n/);
    await delay(anotherPressMs);
    driver.kill('SIGINT');
  }
  await vi.waitFor(() => expect(driver.family()).toEqual([]), { timeout: 60_000 });
  expect(await driver.ended).toMatchObject(end === 'SIGKILL' ? { signal: 'SIGKILL' } : { code: 130 });
}
