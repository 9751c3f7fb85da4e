import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, expect } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { recordOf } from '../known-truth.js';
import { keptResult, voidedBy, workplace } from '../workplace.js';

export const place = workplace();

const sizes = ['--step', '7', '--steps', '3', '--sample', '11', '--concurrent', '2'];

export const run = (flags: string[], shards = 1) => place.measure(['run', 'steps', ...sizes, ...flags], shards);

/** A step's broadcasts, times all clients that are there by then. */
export const whole = 11 * (7 + 14 + 21);

export const byStep = { 1: 7, 2: 14, 3: 21 };

export const clean = { unsent: 0, unanswered: 0, lost: 0, duplicate: 0, late: 0, stray: 0, lostInStep: {} };

const doors: Server[] = [];

// Closed behind the file: of tests that run beside each other nobody knows which one ends.
afterAll(() => {
  for (const door of doors) door.close();
});

/** A port of a target's that lets so many connections through, and cuts every further one. */
export async function openTo(connections: number, targetPort: number): Promise<number> {
  let taken = 0;
  const door = createServer((socket) => {
    const forgive = (): unknown => socket.destroy();
    socket.on('error', forgive);
    if (++taken > connections) return socket.destroy();
    const behind = connect(targetPort, '127.0.0.1');
    behind.on('error', forgive);
    return socket.pipe(behind).pipe(socket);
  });
  doors.push(door);
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return (door.address() as AddressInfo).port;
}

/** What holds of every run, however its target treats it. */
export function sound(result: RunResult): RunResult {
  const {
    sent,
    answered = 0,
    unanswered = 0,
    expected,
    delivered = 0,
    lost = 0,
  } = result.ledger as Record<string, number>;
  expect(sent).toBe(answered + unanswered);
  expect(expected).toBe(delivered + lost);
  expect(result.metrics.roundTrip?.count).toBe(answered);
  const count = (metric: string): number =>
    [1, 2, 3].reduce((sum, step) => sum + (result.metrics[`${metric}Step${step}`]?.count ?? 0), 0);
  expect([count('roundTrip'), count('delivery')]).toEqual([answered, result.metrics.delivery?.count]);
  const unfinished = (metric: string): number => result.metrics[metric]?.unfinished ?? 0;
  const inSteps = [1, 2, 3].reduce((sum, step) => sum + unfinished(`roundTripStep${step}`), 0);
  expect([unfinished('roundTrip'), inSteps]).toEqual([unanswered, unanswered]);
  expect(voidedBy(result)).toEqual([]);
  expect(result.shards.map(({ state }) => state)).toEqual(result.shards.map(() => 'complete'));
  return result;
}

/** Checks that a broken limit ends the steps after the one that breaks it. */
export async function endsAtLimit(shards: number): Promise<void> {
  const flags = ['--target', 'metronome-shootout', '--limit', 'p95<1ms', '--target-option', 'refuse-publish=0.5'];
  const result = sound(keptResult(await run([...flags, '--drain', '211ms'], shards)));
  expect(result.stop.code).toBe('limitReached');
  expect(result.stop.evidence[0]).toMatch(/\b1 of 3\b.*\b7\b.*p95<1ms: \d+ of 11\b/);
  expect(result.ledger).toMatchObject({ sent: 11, expected: 77, clients: { 1: 7 } });
  expect(result.shards.reduce((sum, { result: part }) => sum + (part?.counts.asked ?? 0), 0)).toBe(7);
}

/** Checks over two shards that what a metronome drops, doubles and refuses in so many steps is found to the last. */
export async function areSpoilt(steps: 1 | 3): Promise<void> {
  const orders = ['--drop=0.1', '--duplicate=0.1', '--refuse-publish=0.1', '--seed=11'];
  const target = await place.serve('servers/metronome/main.js', ['--protocol=shootout', ...orders]);
  const at = ['--target-url', `ws://127.0.0.1:${target.port}/shootout`, '--protocol', 'shootout'];
  const result = sound(keptResult(await run([...at, '--drain', '5s', '--steps', String(steps)], 2)));
  const { totals, broadcasts } = await recordOf(target);
  expect(totals).toMatchObject({ isWhole: true, pending: 0, gone: 0 });
  const refused = broadcasts.filter(({ status }) => status === 503).map(({ sequence }) => sequence);
  expect(totals.dropped * totals.duplicated * refused.length).toBeGreaterThan(0);
  const neverSaid = refused.reduce((sum, sequence) => sum + 7 * (Math.floor(sequence / 11) + 1), 0);
  const clients = Object.fromEntries(Object.entries(byStep).slice(0, steps));
  expect(result.ledger).toMatchObject({
    ...{ sent: 11 * steps, answered: totals.broadcasts, unanswered: refused.length, clients },
    ...{ expected: steps === 3 ? whole : 77, delivered: totals.delivered, lost: totals.dropped + neverSaid },
    ...{ duplicate: totals.duplicated, late: 0 },
  });
}
