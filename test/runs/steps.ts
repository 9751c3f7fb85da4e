import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, expect } from 'vitest';
import type { RunResult } from '../../src/results/result.js';
import { voidedBy, workplace } from '../workplace.js';

export const place = workplace();

const sizes = ['--step', '7', '--steps', '3', '--sample', '11', '--concurrent', '2'];

export const run = (flags: string[]) => place.run(['run', 'steps', ...sizes, ...flags]);

/** A step's broadcasts, times all clients that are there by then. */
export const whole = 11 * (7 + 14 + 21);

export const byStep = { 1: 7, 2: 14, 3: 21 };

export const clean = { unsent: 0, unanswered: 0, lost: 0, duplicate: 0, late: 0, stray: 0, lostInStep: {} };

const doors: Server[] = [];

// Not behind the test: of tests that run beside each other nobody knows whose end that is.
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
