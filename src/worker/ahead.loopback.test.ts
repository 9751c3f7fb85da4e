import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { nativeAddon } from '../../test/doubles/engines.js';
import { contextWithClients } from '../../test/stage/real-clients.js';
import { valuesOf } from '../../test/stage/worker-on-stage.js';
import { nowNs } from '../measure/rig/clock.js';
import { echo } from '../scenarios/echo.js';
import type { Role } from '../scenarios/scenario.js';
import { whisper } from '../scenarios/whisper.js';

const clientCount = 29;
const schedule = {
  ...{ clients: clientCount, ratePerSecond: 20, durationMs: 1000, drainMs: 60_000, rampRatePerSecond: 1000 },
};
const servers: WebSocketServer[] = [];
let role: Role | undefined;
/** Those in each room, at any of the targets. */
const rooms = new Map<string, Set<WebSocket>>();
/** What the targets heard but for the first of each client, which proves it or joins its room. */
let heard = 0;
/** After so much the targets cut some clients. */
let cutAfter = Number.POSITIVE_INFINITY;

afterEach(async () => {
  heard = 0;
  cutAfter = Number.POSITIVE_INFINITY;
  rooms.clear();
  role?.dispose?.();
  for (const server of servers.splice(0)) {
    for (const socket of server.clients) socket.terminate();
    server.close();
    await once(server, 'close');
  }
});

/** A target of ws-json that echoes, and passes whispers on to the clients of all targets in the room. */
async function listen(): Promise<string> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  servers.push(server);
  server.on('connection', (socket) => {
    let isFirst = true;
    socket.on('message', (data: Buffer) => {
      const { type, stream = '' } = JSON.parse(data.toString()) as { type: string; stream?: string };
      const room = rooms.get(stream) ?? new Set();
      if (!isFirst) heard++;
      isFirst = false;
      if (heard === cutAfter) for (const each of [...server.clients].slice(0, 13)) each.terminate();
      if (type === 'subscribe') {
        rooms.set(stream, room.add(socket));
        socket.send(JSON.stringify({ type: 'subscribed', stream }));
      }
      for (const each of type === 'echo' ? [socket] : room) {
        if (type === 'echo' || (type === 'whisper' && each !== socket)) each.send(data, { binary: false });
      }
    });
  });
  await once(server, 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live`;
}

/** What an audience on the native engine gets from so many targets. */
async function context<O>(options: O, targets = 1) {
  const wsUrls = await Promise.all(Array.from({ length: targets }, listen));
  return contextWithClients({ wsUrls, clientCount, payloadBytes: 200, load: { engine: 'native' }, options });
}

/** Plays the stages, and ends the run early after so long in the second. */
async function play(played: Role, stages: readonly string[], endAfterMs?: number): Promise<void> {
  role = played;
  const abort = new AbortController();
  for (const stage of stages) {
    if (stage !== 'ramp' && endAfterMs !== undefined) setTimeout(() => abort.abort(), endAfterMs);
    await played.stage(stage, nowNs(), abort.signal);
  }
}

const clean = { unsent: 0, lost: 0, duplicate: 0, late: 0, stray: 0 };
const all = clientCount * 20;

describe.skipIf(nativeAddon === undefined)('sends that leave natively', () => {
  it('are all that a schedule of echoes has, never early', async () => {
    const audience = await echo.audience(await context(echo.options.parse(schedule)));
    await play(audience, ['ramp', 'echo', 'drain']);
    const report = audience.report();
    const { entries, breaks } = echo.ledger(report);
    expect([breaks, heard]).toEqual([[], all]);
    expect(entries).toMatchObject({ ...clean, sent: all, delivered: all });
    expect(Math.min(...valuesOf(report.samples.sendLag))).toBeGreaterThanOrEqual(0);
    expect(valuesOf(report.samples.sendLag)).toHaveLength(all);
    expect(report.counts.clockFaults).toBe(0);
  });

  it.each([1, 3])('are all that a schedule of whispers has, over %i target(s)', async (targets) => {
    const options = whisper.options.parse({ ...schedule, room: 7, warmUp: 0 });
    const audience = await whisper.audience(await context(options, targets));
    await play(audience, ['ramp', 'whisper', 'drain']);
    const report = audience.report();
    const { entries, breaks } = whisper.ledger(report);
    expect([breaks, heard]).toEqual([[], all]);
    // Four rooms of seven, and one client alone.
    expect(entries).toMatchObject({ ...clean, sent: all, expected: 28 * 6 * 20, delivered: 28 * 6 * 20 });
    expect(report.counts.clockFaults).toBe(0);
  });

  it('and are not in the book unless they left, if the run is ended early', async () => {
    const audience = await echo.audience(await context(echo.options.parse({ ...schedule, durationMs: 60_000 })));
    await play(audience, ['ramp', 'echo'], 401);
    const { entries, breaks } = echo.ledger(audience.report());
    expect(breaks).toEqual([]);
    expect(entries.sent).toBeLessThan(60 * all);
    await expect.poll(() => heard).toBe(entries.sent);
    expect(Number(entries.delivered) + Number(entries.lost)).toBe(entries.sent);
  });

  it('or are unsent, to the last, where the target cuts clients', async () => {
    const audience = await echo.audience(await context(echo.options.parse({ ...schedule, drainMs: 503 })));
    cutAfter = 101;
    await play(audience, ['ramp', 'echo', 'drain']);
    const { entries, breaks } = echo.ledger(audience.report());
    expect(breaks).toEqual([]);
    expect(Number(entries.sent) + Number(entries.unsent)).toBe(all);
    expect(entries.unsentByCause).toEqual({ gone: entries.unsent });
    expect(entries.unsent).toBeGreaterThan(0);
  });
});
