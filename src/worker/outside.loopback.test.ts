import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { jobBody } from '../../test/stage/job-body.js';
import { payloadFormat } from '../measure/samples/payload.js';
import type { ClientEvents, Clients } from '../protocols/protocol.js';
import { parseJob } from '../scenarios/job.js';
import { openClients } from './clients.js';

const clientCount = 101;
const forged = '\x1b[2J\nverdict  clean: nothing shows the rig\u202e';
const long = 'x'.repeat(200_003);
let server: WebSocketServer | undefined;
let clients: Clients | undefined;

afterEach(async () => {
  clients?.dispose();
  for (const socket of server?.clients ?? []) socket.terminate();
  server?.close();
  if (server) await once(server, 'close');
});

/** How a target of a protocol says no, in words of its own. */
const refusals: Readonly<Record<string, (socket: WebSocket, words: string) => void>> = {
  'ws-json': (socket, message) => socket.on('message', () => socket.send(JSON.stringify({ type: 'error', message }))),
  anycable: (socket, reason) => socket.send(JSON.stringify({ type: 'disconnect', reason, reconnect: false })),
  socketio: (socket, message) => {
    socket.send(
      `0${JSON.stringify({ sid: 'a', upgrades: [], pingInterval: 25_000, pingTimeout: 20_000, maxPayload: 1e6 })}`,
    );
    socket.on('message', (data: Buffer) => {
      if (data.toString().startsWith('40')) socket.send(`44${JSON.stringify({ message })}`);
    });
  },
};

/** The causes for which all clients ended before a target that refuses each in those words. */
async function causesOf(protocol: string, kind: string, wordsOf: (nth: number) => string): Promise<string[]> {
  let nth = 0;
  server = new WebSocketServer({
    ...{ host: '127.0.0.1', port: 0 },
    handleProtocols: (offered) => [...offered][0] ?? false,
  });
  server.on('connection', (socket) => refusals[protocol]?.(socket, wordsOf(nth++)));
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const job = {
    ...parseJob(
      jobBody({
        wsUrls: [`ws://127.0.0.1:${port}/live`],
        options: { clients: clientCount },
        // One thread serves all: a client that waits long for a core must not end for a cause of its own.
        load: { client: kind, connectTimeoutMs: 600_000 },
      }),
    ),
    protocol,
  };
  const causes: string[] = [];
  const events: ClientEvents = {
    opened: () => undefined,
    ready: (client) => clients?.subscribe(client, 'bench'),
    subscribed: () => undefined,
    closed: (_client, cause) => causes.push(cause),
    resumed: () => undefined,
    deliveries: () => undefined,
  };
  clients = await openClients(job, payloadFormat(job.runId, 200), { first: 0, capacity: clientCount }, events);
  for (let client = 0; client < clientCount; client++) clients.open(client);
  await expect.poll(() => causes.length, { timeout: 60_000 }).toBe(clientCount);
  return causes;
}

const kinds = ['wire', 'library'].flatMap((kind) => Object.keys(refusals).map((protocol) => [kind, protocol] as const));

it.each(kinds)(
  '%s clients of a hostile %s target end for causes that are short, clean and few',
  async (kind, protocol) => {
    const causes = await causesOf(protocol, kind, (nth) => `${forged} ${nth} ${long}`);
    const distinct = new Set(causes);
    expect(distinct.size).toBe(65);
    expect(causes.filter((cause) => cause === 'other')).toHaveLength(clientCount - 64);
    for (const cause of distinct) {
      expect(cause.length).toBeLessThanOrEqual(256);
      expect(cause).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      if (cause !== 'other')
        expect(cause).toMatch(/^rejected: ?(\{"type":"error",.*)?verdict clean: nothing shows the rig \d+ ?x*…?$/);
    }
  },
);
