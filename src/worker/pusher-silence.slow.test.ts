import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { RecordingEvents } from '../../test/doubles/session-recorders.js';
import { jobBody } from '../../test/stage/job-body.js';
import { payloadFormat } from '../measure/samples/payload.js';
import { parseJob } from '../scenarios/job.js';
import { openClients } from './clients.js';

/** A Pusher server that wants to hear of its clients every 10 s, and never answers them. */
async function silentTarget() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  const heard: string[] = [];
  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    const data = JSON.stringify({ socket_id: '11.13', activity_timeout: 10 });
    socket.send(JSON.stringify({ event: 'pusher:connection_established', data }));
    socket.on('message', (bytes) => heard.push((JSON.parse(String(bytes)) as { event: string }).event));
  });
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, heard, connections: () => connections };
}

async function client(kind: string, port: number): Promise<RecordingEvents & { dispose(): void }> {
  const wsUrls = [`ws://127.0.0.1:${port}`];
  const job = parseJob(jobBody({ wsUrls, protocol: 'pusher', options: { clients: 1 }, load: { client: kind } }));
  const events = new RecordingEvents();
  const clients = await openClients(job, payloadFormat(job.runId, 200), { first: 0, capacity: 1 }, events);
  clients.open(0);
  return Object.assign(events, { dispose: () => clients.dispose() });
}

it.concurrent.each([
  ['wire', ['0 opened', '0 ready']],
  ['library', ['0 opened', '0 ready', '0 closed heartbeat-timeout true']],
])('%s clients ping a silent target, and only the library gives it up', async (kind, lines) => {
  const target = await silentTarget();
  const events = await client(kind, target.port);
  // The library waits 30 s for its pong.
  await new Promise((resolve) => setTimeout(resolve, 47_003));
  expect(target.heard.length).toBeGreaterThan(0);
  expect(new Set(target.heard)).toEqual(new Set(['pusher:ping']));
  expect(events.lines).toEqual(lines);
  expect(target.connections()).toBe(1);
  events.dispose();
  for (const socket of target.server.clients) socket.terminate();
  target.server.close();
});
