import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { RecordingEvents } from '../../../test/doubles/session-recorders.js';
import { anycable } from '../anycable/index.js';
import { completeAddress } from '../client-options.js';
import { wsJson } from '../described.js';
import type { Clients, LibrarySetup, Protocol } from '../protocol.js';
import { pusher } from '../pusher/index.js';
import { socketio } from '../socketio/index.js';

// A throw-away key for 127.0.0.1, of use to nobody.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglQ1O/9yLLwjI0PIg
HtqPRA8gSUjp3thdXdpXM3Zynl+hRANCAAR24QhPa0eeqqnMv6mwdSjKvpXMEzk1
MTJy3KtKw+pqFF3VV7MuSZMiX2sxpolYvJLDAv4P1xmT7mmNK8XH3u7R
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBWzCCAQKgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAkxMjcuMC4w
LjEwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CTEyNy4wLjAuMTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHbhCE9rR56qqcy/
qbB1KMq+lcwTOTUxMnLcq0rD6moUXdVXsy5JkyJfazGmiVi8ksMC/g/XGZPuaY0r
xcfe7tGjQzBBMA8GA1UdEQQIMAaHBH8AAAEwDwYDVR0TAQH/BAUwAwEB/zAdBgNV
HQ4EFgQUksbE0rgGBP4P2/v5Snj26MmPGWcwCgYIKoZIzj0EAwIDRwAwRAIgbGZH
fA9nplrRt1UU1nyK72NlK8ts/wru+wcerhEET64CIHXlWfbpjzl0D5J0f+M1BPKC
PBziJuNmTHHkuZvQ8oKW
-----END CERTIFICATE-----`;

const established = JSON.stringify({
  event: 'pusher:connection_established',
  data: { socket_id: '11.13', activity_timeout: 120 },
});
const https = createServer({ key, cert });
const io = new Server(https);
const cable = new WebSocketServer({ noServer: true });
const addresses: (string | undefined)[] = [];
let url: string;
let made: Clients[] = [];

https.on('secureConnection', (socket) => addresses.push(socket.remoteAddress));
https.on('upgrade', (request, socket, head) => {
  if (request.url!.startsWith('/socket.io/')) return;
  const welcome = request.url!.startsWith('/app/') ? established : '{"type":"welcome"}';
  cable.handleUpgrade(request, socket, head, (client) => client.send(welcome));
});

beforeEach(async () => {
  await once(https.listen(0, '127.0.0.1'), 'listening');
  url = `wss://127.0.0.1:${(https.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const clients of made) clients.dispose();
  made = [];
  addresses.length = 0;
  for (const client of cable.clients) client.terminate();
  io.disconnectSockets(true);
  await new Promise((resolve) => https.close(resolve));
});

async function clientsOf(protocol: Protocol, events: RecordingEvents, more: Partial<LibrarySetup>): Promise<Clients> {
  const clients = await protocol.libraryClients(events.setup(completeAddress(protocol, url).href, more), events);
  made.push(clients);
  return clients;
}

const each = [wsJson, socketio, anycable, pusher].map((protocol) => [protocol.name, protocol] as const);

test.each(each)('%s trusts no unknown certificate', async (_name, protocol) => {
  const events = new RecordingEvents();
  (await clientsOf(protocol, events, {})).open(0);
  await events.seen('0 closed tls:DEPTH_ZERO_SELF_SIGNED_CERT false');
});

test.each(each)('%s trusts the authority it is given, and anybody on explicit word', async (_name, protocol) => {
  for (const more of [{ caPem: cert }, { isInsecure: true }]) {
    const events = new RecordingEvents();
    (await clientsOf(protocol, events, more)).open(0);
    await events.seen('0 ready');
  }
});

// Elsewhere a loopback has one address.
test.runIf(process.platform === 'linux').each(each)(
  '%s spreads clients over the local addresses',
  async (_name, protocol) => {
    const events = new RecordingEvents();
    const localAddresses = ['127.0.0.2', '127.0.0.3'];
    const clients = await clientsOf(protocol, events, { caPem: cert, localAddresses });
    for (const client of [0, 1, 2]) clients.open(client);
    for (const client of [0, 1, 2]) await events.seen(`${client} ready`);
    expect(addresses.sort()).toEqual(['127.0.0.2', '127.0.0.2', '127.0.0.3']);
  },
);
