import { once } from 'node:events';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningTarget, startTarget } from '../../src/targets/launch/process.js';
import { freePort } from '../../src/targets/launch/readiness.js';
import { furtherProcesses, replaceProcess } from '../../src/targets/launch/stats.js';
import { targetByName } from '../../src/targets/list.js';

/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 30_000 };
const host = '127.0.0.1';
const over = new AbortController().signal;

const uws = targetByName('uws')!;
const there = await uws.availability();

/** On chosen ports: one that the system chose is not free again while old connections to it linger. */
async function start(reviveAfterMs: number): Promise<RunningTarget> {
  const port = await freePort(host);
  const furtherPorts = [await freePort(host), await freePort(host)];
  return startTarget(uws, { host, port, furtherPorts, processes: 2, reviveAfterMs });
}

describe.skipIf(!there.isAvailable)('uws with two processes that it revives', () => {
  let running: RunningTarget;
  let sockets: WebSocket[];

  beforeEach(async () => {
    sockets = [];
    running = await start(0);
  });

  afterEach(async () => {
    for (const socket of sockets) socket.terminate();
    await running.stop();
  });

  async function subscriber(url: string) {
    const socket = new WebSocket(url);
    sockets.push(socket);
    const texts: string[] = [];
    socket.on('message', (data) => texts.push(String(data)));
    await once(socket, 'open');
    socket.send('{"type":"subscribe","stream":"news"}');
    await expect.poll(() => texts.splice(0), eventually).toEqual(['{"type":"subscribed","stream":"news"}']);
    return { socket, texts };
  }

  async function publish(data: string): Promise<void> {
    const body = JSON.stringify({ stream: 'news', data });
    const answer = await request(running.endpoints.publishUrl, { method: 'POST', body });
    expect([answer.statusCode, await answer.body.text()]).toEqual([201, '']);
  }

  it('has clients at both, and at the first process none', () => {
    const { wsUrls, publishUrl } = running.endpoints;
    expect(wsUrls).toHaveLength(2);
    expect(running.pids).toHaveLength(2);
    expect(running.pids).not.toContain(running.pid);
    expect(wsUrls.map((url) => new URL(url).port)).not.toContain(new URL(publishUrl).port);
    expect(running.settings).toMatchObject({ processes: 3, reviveAfterMs: 0 });
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'replaces one that is ended by %s, and the other serves on',
    async (signal) => {
      const { wsUrls, statsUrl = '' } = running.endpoints;
      const [ended, stays] = await Promise.all(wsUrls.map((url) => subscriber(url)));
      const closed = once(ended!.socket, 'close');
      const [first, second] = await furtherProcesses(statsUrl);
      await replaceProcess(statsUrl, first!, { signal, downMs: 0, over });
      await closed;
      const after = await furtherProcesses(statsUrl);
      expect(after.map(({ port }) => port)).toEqual([first!.port, second!.port]);
      expect(after[0]!.pid).not.toBe(first!.pid);
      expect(after[1]!.pid).toBe(second!.pid);
      const back = await subscriber(wsUrls[0]!);
      await publish('7');
      for (const { texts } of [back, stays!]) await expect.poll(() => texts, eventually).toEqual(['7']);
    },
  );

  it('takes publishes while one is away, for those who are there', async () => {
    await running.stop();
    running = await start(600_000);
    const { wsUrls, statsUrl = '' } = running.endpoints;
    const stays = await subscriber(wsUrls[1]!);
    const [first, second] = await furtherProcesses(statsUrl);
    process.kill(first!.pid, 'SIGKILL');
    await expect
      .poll(async () => (await furtherProcesses(statsUrl)).map(({ pid }) => pid), eventually)
      .toEqual([second!.pid]);
    await publish('7');
    await expect.poll(() => stays.texts, eventually).toEqual(['7']);
  });

  it('that are restarted whole come back at the ports that they had', async () => {
    const { wsUrls, publishUrl } = running.endpoints;
    const { pids } = running;
    running = await running.restart('SIGKILL');
    expect(running.endpoints.wsUrls).toEqual(wsUrls);
    expect(running.endpoints.publishUrl).toBe(publishUrl);
    expect(running.pids.filter((pid) => pids.includes(pid))).toEqual([]);
  });
});
