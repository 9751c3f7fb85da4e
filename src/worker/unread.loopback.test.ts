import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { nativeAddon } from '../../test/doubles/engines.js';
import { contextWithClients } from '../../test/stage/real-clients.js';
import type { Ledger } from '../measure/ledger.js';
import { nowNs } from '../measure/rig/clock.js';
import { echo } from '../scenarios/echo.js';
import type { Role } from '../scenarios/scenario.js';
import { whisper } from '../scenarios/whisper.js';

const clientCount = 3;
/** More than the kernel holds for a connection: by default at most 4 MiB on the way out and 6 MiB on the way in. */
const payloadBytes = 100_003;
const sendsEach = 400;
let server: WebSocketServer | undefined;
let role: Role | undefined;

afterEach(async () => {
  role?.dispose?.();
  for (const socket of server?.clients ?? []) socket.terminate();
  server?.close();
  if (server) await once(server, 'close');
});

/** A target of ws-json that answers the first message of each client and then reads no more. */
async function listen(): Promise<string> {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) =>
    socket.once('message', (data: Buffer) => {
      const { type, stream } = JSON.parse(data.toString()) as { type: string; stream?: string };
      socket.send(type === 'subscribe' ? JSON.stringify({ type: 'subscribed', stream }) : data.toString());
      socket.pause();
    }),
  );
  await once(server, 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live`;
}

/** The books of a role that ran to its end. */
async function booksOf(
  played: Role,
  stages: readonly string[],
  { ledger }: Pick<typeof echo, 'ledger'>,
): Promise<Ledger> {
  role = played;
  for (const stage of stages) await played.stage(stage, nowNs(), new AbortController().signal);
  return ledger(played.report());
}

const schedule = {
  clients: clientCount,
  ratePerSecond: 400,
  durationMs: 1000,
  drainMs: 100,
  rampRatePerSecond: 1000,
  payloadBytes,
};

const kinds = [{ client: 'wire' }, { client: 'wire', engine: 'native' }, { client: 'library' }] as const;
const here = kinds.filter((load) => !('engine' in load) || nativeAddon !== undefined);

describe.each(here)('clients before a target that reads nothing: %o', (load) => {
  const context = async <O>(options: O) =>
    contextWithClients({ wsUrls: [await listen()], clientCount, payloadBytes, load, options });

  it('echo into a bounded queue, and count what never left as not sent', async () => {
    const audience = await echo.audience(await context(echo.options.parse(schedule)));
    const { entries, breaks } = await booksOf(audience, ['ramp', 'echo', 'drain'], echo);
    expect(breaks).toEqual([]);
    expect(Number(entries.sent) + Number(entries.unsent)).toBe(clientCount * sendsEach);
    expect(entries.unsentByCause).toEqual({ unread: entries.unsent });
    expect(entries.unsent).toBeGreaterThan(0);
    expect([entries.lost, entries.delivered]).toEqual([entries.sent, 0]);
  });

  it('whisper into a bounded queue, and count what never left as not sent', async () => {
    const options = whisper.options.parse({ ...schedule, room: clientCount, warmUp: 0 });
    const audience = await whisper.audience(await context(options));
    const { entries, breaks } = await booksOf(audience, ['ramp', 'whisper', 'drain'], whisper);
    expect(breaks).toEqual([]);
    expect(Number(entries.sent) + Number(entries.unsent)).toBe(clientCount * sendsEach);
    expect(entries.unsentByCause).toEqual({ unread: entries.unsent });
    expect(entries.unsent).toBeGreaterThan(0);
    expect([entries.expected, entries.delivered]).toEqual([Number(entries.sent) * (clientCount - 1), 0]);
  });
});
