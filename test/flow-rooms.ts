import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import type { RunResult } from '../src/results/result.js';
import { packageFile } from '../src/units/package-files.js';
import type { Command } from './command.js';
import { served } from './flow-libraries.js';
import { keptResult, type Workplace } from './workplace.js';

const counts = z.strictObject({
  ...z.object({ owed: z.number(), dropped: z.number(), droppedFresh: z.number(), doubled: z.number() }).shape,
  ...z.object({ delayed: z.number(), gone: z.number(), pings: z.number(), pingsDropped: z.number() }).shape,
  ...z.object({ pingsDoubled: z.number(), sockets: z.number(), open: z.number(), most: z.number() }).shape,
});

/** A run of a flow in rooms whose server loses, doubles and delays, and what that server counted itself. */
export interface RoomsRun {
  result: RunResult;
  server: z.output<typeof counts>;
}

/** A busy machine answers late: no client gives up for it, and no shard. */
const patience = ['--arrivals', '100', '--lease', '10m', '--connect-timeout', '10m'];

/** Runs a flow of `test/flows` with that many clients against the server of lossy rooms. */
export async function inRooms(place: Workplace, flow: string, clients: number, rig: string): Promise<RoomsRun> {
  const port = await served(place, packageFile('test/flows/servers/lossy-rooms.mjs'));
  const load = ['--clients', `${clients}`, ...patience, '--duration', '10m', '--drain', '100ms'];
  const file = packageFile('test/flows', flow);
  const url = ['--target-url', `ws://127.0.0.1:${port}`];
  const result = keptResult(await place.run(['run', 'flow', file, ...url, ...load, ...rig.split(' ')]));
  const answer = await fetch(`http://127.0.0.1:${port}/counts`);
  return { result, server: counts.parse(await answer.json()) };
}

/** Runs a flow in rooms that the run ends while its clients send. The server loses nothing, but delays for seconds. */
export async function inLastingRooms(
  place: Workplace,
  rig: readonly string[],
  end: (run: Command) => void = () => undefined,
) {
  const server = packageFile('test/flows/servers/lossy-rooms.mjs');
  const port = await served(place, server, { DROP: '0', DOUBLE: '0', DELAY_MS: '3000' });
  const file = packageFile('test/flows/lasting-rooms.flow.ts');
  const load = ['--clients', '35', ...patience, '--drain', '10m', '--local-shards', '2', ...rig];
  const command = place.ringside(['run', 'flow', file, '--target-url', `ws://127.0.0.1:${port}`, ...load]);
  const counted = async () => counts.parse(await (await fetch(`http://127.0.0.1:${port}/counts`)).json());
  while ((await counted()).delayed < 35) await setTimeout(101);
  end(command);
  const ended = await command.ended;
  return { code: ended.code, result: keptResult(ended), server: await counted() };
}

/** Expects that all that the server owed has come, and that the ledger says so. */
export function expectAll({ result: { ledger }, server }: RoomsRun): void {
  expect(server).toMatchObject({ gone: 0, sockets: 35, open: 0 });
  expect(Math.min(server.delayed, server.owed)).toBeGreaterThan(0);
  expect(ledger).toMatchObject({
    ...{ begun: 35, ended: 35, cut: 0, threw: 0, owing: server.owed / 4, owed: server.owed, delivered: server.owed },
    ...{ lost: 0, unclear: 0, duplicate: 0, late: 0, stray: 0, unlearned: 0 },
  });
}

/** Expects that the ledger agrees with the server in every count. */
export function expectExact({ result: { ledger, stop }, server }: RoomsRun, clients: number): void {
  const [keys, pings] = [clients * 31, clients * 13];
  expect(server).toMatchObject({ owed: keys * 4, gone: 0, pings, sockets: clients, open: 0 });
  expect(server.dropped * server.doubled * server.delayed).toBeGreaterThan(0);
  expect(ledger).toMatchObject({
    ...{ begun: clients, finished: clients, connects: clients, connected: clients, cut: 0, threw: 0 },
    ...{ declared: keys + pings, sent: keys + pings, unsent: 0, owing: keys },
    ...{ owed: server.owed, delivered: server.owed - server.dropped, lost: server.dropped, unclear: 0 },
    ...{ answersOwed: server.pings, unanswered: server.pingsDropped },
    ...{ duplicate: server.doubled + server.pingsDoubled, late: 0, stray: 0, echoed: 0, unlearned: 0 },
  });
  expect(stop.code).toBe('completed');
}

/**
 * Expects that every delivery and duplicate is counted, and that what did not come is lost, or unclear where the member
 * came or went at that time. The server also drops what was sent shortly before a member asked to join.
 */
export function expectWithin({ result: { ledger, stop }, server }: RoomsRun, clients: number): void {
  const missing = server.dropped + server.gone;
  const { owed, lost, unclear } = ledger as Record<string, number> as { owed: number; lost: number; unclear: number };
  const connects = clients + 3 * (clients / 10);
  expect(server).toMatchObject({ sockets: connects, open: 0, most: clients });
  expect(ledger).toMatchObject({
    ...{ begun: clients, finished: clients, connects, connected: connects, cut: 0, unsent: 0, threw: 0 },
    ...{ delivered: server.owed - missing, duplicate: server.doubled },
    ...{ late: 0, stray: 0, echoed: 0, unlearned: 0 },
  });
  expect(owed).toBeLessThanOrEqual(server.owed);
  expect(lost).toBeLessThanOrEqual(missing);
  expect(server.owed - server.droppedFresh).toBeLessThanOrEqual(owed + unclear);
  expect(stop.code).toBe('completed');
}
