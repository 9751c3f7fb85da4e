import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { RecordingEvents } from '../../test/doubles/session-recorders.js';
import { jobBody } from '../../test/stage/job-body.js';
import { payloadFormat } from '../measure/samples/payload.js';
import { protocols } from '../protocols/list.js';
import type { Clients } from '../protocols/protocol.js';
import { type Job, parseJob } from '../scenarios/job.js';
import { clientKinds } from '../scenarios/load-options.js';
import { openClients } from './clients.js';

const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
let server: ReturnType<typeof createServer>;
let clients: Clients | undefined;
/** What was let in: authorization, origin and query. */
let letIn: string[];

beforeEach(async () => {
  letIn = [];
  server = createServer().on('upgrade', (request, socket, head) => {
    const { authorization, origin } = request.headers;
    if (!authorization?.startsWith('Bearer client-')) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    const { searchParams } = new URL(request.url ?? '', 'http://a.test');
    letIn.push(`${authorization} ${origin} ${searchParams.get('who')}`);
    sockets.handleUpgrade(request, socket, head, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  clients?.dispose();
  for (const socket of sockets.clients) socket.terminate();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function jobFor(protocol: string, client: string, wsUrls: string[], headers: string[]): Job {
  const slice = { index: 1, of: 3 };
  const job = parseJob(
    jobBody({ wsUrls, slice, protocolOptions: { headers }, options: { clients: 31 }, load: { client } }),
  );
  // No one scenario has all protocols.
  return { ...job, protocol };
}

const each = clientKinds.flatMap((kind) => protocols.map(({ name }) => [kind, name] as const));

describe.each(each)('%s clients of %s', (kind, protocol) => {
  const open = async (wsUrls: string[], headers: string[]): Promise<RecordingEvents> => {
    const events = new RecordingEvents();
    const job = jobFor(protocol, kind, wsUrls, headers);
    clients = await openClients(job, payloadFormat(job.runId, 200), { first: 11, capacity: 5 }, events);
    for (const client of [0, 3]) clients.open(client);
    return events;
  };
  const address = (query: string): string => `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live${query}`;

  it('carry the headers that were asked for, each with its number in the run', async () => {
    const headers = ['Authorization: Bearer client-{client}', 'Origin: https://ring.example'];
    // Two addresses, so that clients are dealt over two sets.
    for (const wsUrls of [[address('?who={client}')], [address('?who={client}'), address('?who={client}')]]) {
      letIn = [];
      await open(wsUrls, headers);
      await expect
        .poll(() => [...letIn].sort(), { timeout: 30_000 })
        .toEqual(['Bearer client-11 https://ring.example 11', 'Bearer client-14 https://ring.example 14']);
      clients?.dispose();
    }
  });

  it('tell the status of a target that wants another', async () => {
    const events = await open([address('')], ['Authorization: hush']);
    await events.seen('0 closed http-status:401 false');
    await events.seen('3 closed http-status:401 false');
    expect(letIn).toEqual([]);
  });

  it('carry values of theirs in path, query, headers and subprotocols, and connect only where these fit', async () => {
    const told: string[] = [];
    server.prependListener('upgrade', ({ url, headers }) => {
      const { pathname, searchParams } = new URL(url ?? '', 'http://a.test');
      const offered = headers['sec-websocket-protocol']?.split(/, */).at(-1);
      told.push([pathname.replace(/\/$/, ''), searchParams.get('q'), headers.cookie, offered].join(' '));
    });
    const events = new RecordingEvents();
    const wsUrls = [address('/{odd}?q={odd}')];
    const job = jobFor(protocol, kind, [address('')], []);
    const headers = ['Authorization: Bearer client-', 'Cookie: {sid}'];
    const protocolOptions = { headers, subprotocols: ['t.{sid}'] };
    const sids = ['one', 'a\r\nX-B: c', 'two', '\u20ac'];
    const users = {
      valuesOf: (number: number) => (slot: string) => (slot === 'sid' ? sids[number - 11] : 'a/\u00e9 &?'),
      failureOf: (number: number) => (number === 13 ? 'login-failed:http-status:401' : undefined),
    };
    const format = payloadFormat(job.runId, 200);
    const range = { first: 11, capacity: 4 };
    const given = { ...job, protocolOptions, target: { ...job.target, wsUrls } };
    clients = await openClients(given, format, range, events, users);
    for (const client of [0, 1, 2, 3]) clients.open(client);
    expect(events.lines.filter((line) => line.includes('closed'))).toEqual([]);
    await events.seen('1 closed bad-value:cookie false');
    await events.seen('2 closed login-failed:http-status:401 false');
    await events.seen('3 closed bad-value:cookie false');
    await expect.poll(() => told, { timeout: 30_000 }).toEqual(['/live/a%2F%C3%A9%20%26%3F a/\u00e9 &? one t.one']);
  });
});
