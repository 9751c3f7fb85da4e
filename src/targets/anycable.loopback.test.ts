import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startTarget } from './launch/process.js';
import { TargetStartError } from './launch/start-error.js';
import { targetByName } from './list.js';

/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 30_000 };

const anycable = targetByName('anycable')!;
const host = '127.0.0.1';
const isNamed = Boolean(process.env.ANYCABLE_GO_BIN);

it.skipIf(!isNamed)('starts, delivers one publish to every subscriber, and stops (needs ANYCABLE_GO_BIN)', async () => {
  const running = await startTarget(anycable, { host });
  const identifier = JSON.stringify({ channel: '$pubsub', stream_name: 'news' });
  const sockets = Array.from({ length: 7 }, () => new WebSocket(running.endpoints.wsUrl, ['actioncable-v1-ext-json']));
  const inboxes = sockets.map((socket) => {
    const inbox: { type?: string; message?: unknown }[] = [];
    socket.on('message', (data) => inbox.push(JSON.parse(String(data))));
    socket.once('open', () => socket.send(JSON.stringify({ command: 'subscribe', identifier })));
    return inbox;
  });
  for (const inbox of inboxes)
    await expect.poll(() => inbox.map(({ type }) => type), eventually).toContain('confirm_subscription');
  const body = JSON.stringify({ stream: 'news', data: '{"seq":7}' });
  const publish = await request(running.endpoints.publishUrl, { method: 'POST', body });
  expect([publish.statusCode, await publish.body.text()]).toEqual([201, '']);
  for (const inbox of inboxes) {
    await expect
      .poll(() => inbox.filter(({ type }) => type === undefined), eventually)
      .toMatchObject([{ message: { seq: 7 } }]);
  }
  expect(running.versions.anycable).toMatch(/^\d+\.\d+\.\d+/);
  expect(running.stderrTail().join('\n')).toContain('Handle WebSocket connections at');
  for (const socket of sockets) socket.terminate();
  await running.stop();
  expect(() => process.kill(running.pid, 0)).toThrow('ESRCH');
});

it.skipIf(!isNamed)('does not take a port that another program has (needs ANYCABLE_GO_BIN)', async () => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(startTarget(anycable, { host, port })).rejects.toThrow(TargetStartError);
  server.close();
});
