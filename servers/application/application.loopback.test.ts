import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { built } from '../../test/built.js';
import { workplace } from '../../test/workplace.js';
import { maxBodyBytes } from '../routes.js';

const place = workplace();
const main = 'servers/application/main.js';
const held: ServerResponse[] = [];
const bodies: string[] = [];
const urls: string[] = [];
/** A target that answers with the status that is published, or holds the answer back. */
const target = createServer((incoming, response) => {
  urls.push(incoming.url ?? '');
  void text(incoming).then((body) => {
    bodies.push(body);
    const status = (JSON.parse(body) as { data: string }).data;
    if (status === 'hold') held.push(response);
    else response.writeHead(Number(status)).end('said');
  });
});
let targetUrl: string;
let base: string;

beforeAll(async () => {
  await once(target.listen(0, '127.0.0.1'), 'listening');
  targetUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}/_broadcast`;
  const { port } = await place.serve(main, ['--publish-url', targetUrl]);
  base = `http://127.0.0.1:${port}`;
});

afterAll(() => {
  target.closeAllConnections();
  target.close();
});

const publish = async (to: string, body: string) => {
  const answer = await request(`${to}/_broadcast`, { method: 'POST', body });
  return { status: answer.statusCode, text: await answer.body.text() };
};
const broadcast = (data: string): string => JSON.stringify({ stream: 'news', data });

describe('an application before a target', () => {
  it.each([201, 400, 503])('hands a publish on as it came, and answers %i where the target does', async (status) => {
    const body = broadcast(String(status));
    expect(await publish(base, body)).toEqual({ status, text: 'said' });
    expect(bodies.at(-1)).toBe(body);
  });

  it('hands on the query of a publish at the path of its target, which may be a signature of both', async () => {
    const { pathname } = new URL(targetUrl);
    const { port } = await place.serve(main, ['--publish-url', targetUrl.replace(pathname, '/apps/7/events?token=x')]);
    const signed = '/apps/7/events?auth_key=k&auth_signature=s';
    for (const path of [signed, '/apps/7/events', '/_broadcast']) {
      const answer = await request(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: broadcast('200') });
      expect([answer.statusCode, await answer.body.text()]).toEqual([200, 'said']);
    }
    expect(urls.slice(-3)).toEqual([signed, '/apps/7/events?token=x', '/apps/7/events?token=x']);
  });

  it('answers 413 to a body that is too long, and hands nothing on', async () => {
    const before = bodies.length;
    const answer = await publish(base, 'x'.repeat(maxBodyBytes + 1));
    expect(answer.status).toBe(413);
    expect(bodies).toHaveLength(before);
  });

  it('answers 502 where no target does', async () => {
    const { port } = await place.serve(main, ['--publish-url', 'http://127.0.0.1:1/_broadcast']);
    const answer = await publish(`http://127.0.0.1:${port}`, broadcast('201'));
    expect(answer.status).toBe(502);
    expect(JSON.parse(answer.text)).toEqual({ message: expect.stringContaining('ECONNREFUSED') });
  });

  it('lives on where a publish breaks off', async () => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /_broadcast HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{"stream"');
    // Answered behind it on another connection: by then the head was read.
    expect((await request(`${base}/health`)).statusCode).toBe(200);
    socket.resetAndDestroy();
    expect(await publish(base, broadcast('201'))).toEqual({ status: 201, text: 'said' });
  });

  it('answers what is under way before it ends by SIGTERM', async () => {
    const { port, command } = await place.serve(main, ['--publish-url', targetUrl]);
    const answered = publish(`http://127.0.0.1:${port}`, broadcast('hold'));
    await expect.poll(() => held.length, { timeout: 30_000 }).toBe(1);
    command.kill('SIGTERM');
    const isOpen = () => request(`http://127.0.0.1:${port}/health`, { reset: true }).then(Boolean, () => false);
    await expect.poll(isOpen, { timeout: 30_000 }).toBe(false);
    // Longer than other servers give their connections.
    await delay(1009);
    held[0]?.writeHead(201).end('');
    expect(await answered).toEqual({ status: 201, text: '' });
    expect((await command.ended).code).toBe(0);
  });

  it('ends with 2 where nobody says what it stands before', async () => {
    const ended = await place.start(process.execPath, [built(main)]).ended;
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('--publish-url');
  });
});
