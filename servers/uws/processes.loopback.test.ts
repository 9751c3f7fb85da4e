import { once } from 'node:events';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningTarget, startTarget } from '../../src/targets/launch/process.js';
import { targetByName } from '../../src/targets/list.js';
import type { TargetStats } from '../../src/targets/target.js';
import { naming } from '../../test/refusal.js';

/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 30_000 };

const uws = targetByName('uws')!;
const there = await uws.availability();

const portOf = (url: string) => Number(new URL(url).port);
const httpOf = (wsUrl: string, path: string) => new URL(path, wsUrl.replace('ws:', 'http:'));

/** The answer of a port to a request: the status, or the code of the error. */
const answerOf = (wsUrl: string) =>
  request(httpOf(wsUrl, '/health'), { reset: true }).then(
    ({ statusCode }) => String(statusCode),
    (error: NodeJS.ErrnoException) => error.code,
  );

describe.skipIf(!there.isAvailable)('uws as three processes', () => {
  let running: RunningTarget;
  let urls: string[];
  let sockets: WebSocket[];

  beforeEach(async () => {
    sockets = [];
    running = await startTarget(uws, { host: '127.0.0.1', processes: 3 });
    urls = running.endpoints.wsUrls;
  });

  afterEach(async () => {
    for (const socket of sockets) socket.terminate();
    await running.stop();
  });

  async function subscriber(index: number) {
    const socket = new WebSocket(urls[index % urls.length]!);
    sockets.push(socket);
    const texts: string[] = [];
    socket.on('message', (data) => texts.push(String(data)));
    await once(socket, 'open');
    socket.send('{"type":"subscribe","stream":"news"}');
    await expect.poll(() => texts.splice(0), eventually).toEqual(['{"type":"subscribed","stream":"news"}']);
    return { socket, texts };
  }

  const subscribers = (count: number) => Promise.all(Array.from({ length: count }, (_, index) => subscriber(index)));

  async function publish(wsUrl: string, data: string) {
    const body = JSON.stringify({ stream: 'news', data });
    const answer = await request(httpOf(wsUrl, '/_broadcast'), { method: 'POST', body });
    expect([answer.statusCode, await answer.body.text()]).toEqual([201, '']);
  }

  async function statsOf(wsUrl: string): Promise<TargetStats> {
    return (await (await request(httpOf(wsUrl, '/_stats'))).body.json()) as TargetStats;
  }

  const allSilent = () =>
    expect.poll(() => Promise.all(urls.map(answerOf)), eventually).toEqual(urls.map(() => 'ECONNREFUSED'));

  it('has a process and a port for each, the announced one first', async () => {
    expect(urls[0]).toBe(running.endpoints.wsUrl);
    expect(new Set(urls.map(portOf)).size).toBe(3);
    expect(running.pids[0]).toBe(running.pid);
    expect(await Promise.all(urls.map(async (url) => (await statsOf(url)).pid))).toEqual(running.pids);
    expect(new Set(running.pids).size).toBe(3);
    expect(running.settings).toMatchObject({ processes: 3 });
  });

  it('delivers what any process is given to the subscribers of all, once and in order', async () => {
    const readers = await subscribers(7);
    const told = (publisher: number) => Array.from({ length: 31 }, (_, sequence) => `[${publisher},${sequence}]`);
    await Promise.all(
      urls.map(async (url, publisher) => {
        for (const data of [...told(publisher), `"end ${publisher}"`]) await publish(url, data);
      }),
    );
    const expected = urls.flatMap((_, publisher) => [...told(publisher), `"end ${publisher}"`]);
    for (const { texts } of readers)
      await expect.poll(() => texts.length, eventually).toBeGreaterThanOrEqual(expected.length);
    // A second round through each process: a copy that lagged behind the first round would arrive before its end.
    for (const [publisher, url] of urls.entries()) await publish(url, `"over ${publisher}"`);
    for (const { texts } of readers) {
      await expect.poll(() => texts.filter((text) => text.startsWith('"over')).length, eventually).toBe(3);
      const heard = urls.flatMap((_, publisher) =>
        texts.filter((text) => text.startsWith(`[${publisher},`) || text === `"end ${publisher}"`),
      );
      expect(heard).toEqual(expected);
      expect(texts).toHaveLength(expected.length + 3);
    }
  });

  it('whispers to the subscribers of all processes but the sender', async () => {
    const [sender, ...others] = await subscribers(5);
    const whisper = '{"type":"whisper","stream":"news","payload":"żółć"}';
    sender!.socket.send(whisper);
    for (const { texts } of others) await expect.poll(() => texts, eventually).toEqual([whisper]);
    await publish(urls[1]!, '"end"');
    await expect.poll(() => sender!.texts, eventually).toEqual(['"end"']);
  });

  it('answers the stats of all from the first, each of their sums footing, and its own from each other', async () => {
    const opened = await subscribers(7);
    const gauge = async () => (await statsOf(urls[0]!)).processes?.map(({ connections }) => connections);
    await expect.poll(gauge, eventually).toEqual([3, 2, 2]);
    const stats = await statsOf(urls[0]!);
    const processes = stats.processes!;
    expect(processes.map(({ pid, port }) => [pid, port])).toEqual(
      running.pids.map((pid, i) => [pid, portOf(urls[i]!)]),
    );
    for (const name of ['rssBytes', 'cpuUserUs', 'cpuSystemUs', 'connections'] as const)
      expect(stats[name], name).toBe(processes.reduce((sum, each) => sum + each[name], 0));
    for (const { rssBytes } of processes) expect(rssBytes).toBeGreaterThan(10_000_000);
    expect(await statsOf(urls[2]!)).toMatchObject({ pid: running.pids[2], connections: 2 });
    opened[1]!.socket.close();
    opened[5]!.socket.terminate();
    await expect.poll(gauge, eventually).toEqual([3, 1, 1]);
  });

  it('ends as a whole, with exit code 1 and a word, when one process dies', async () => {
    const closed = (await subscribers(3)).map(({ socket }) => once(socket, 'close'));
    process.kill(running.pids[2]!, 'SIGKILL');
    expect(await running.exited).toEqual({ code: 1, signal: null });
    const line = naming(running.pids[2]!, portOf(urls[2]!), 'SIGKILL');
    await expect.poll(() => running.stderrTail(), eventually).toEqual([line]);
    await Promise.all(closed);
    await allSilent();
  });

  it('leaves no process behind when the first one is killed', async () => {
    await subscribers(3);
    process.kill(running.pid, 'SIGKILL');
    expect(await running.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await allSilent();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'exits 0 on %s, even where the terminal sends it to every process',
    async (signal) => {
      const closed = (await subscribers(3)).map(({ socket }) => once(socket, 'close'));
      for (const pid of running.pids.toReversed()) process.kill(pid, signal);
      expect(await running.exited).toEqual({ code: 0, signal: null });
      expect(await Promise.all(urls.map(answerOf))).toEqual(urls.map(() => 'ECONNREFUSED'));
      expect(running.stderrTail()).toEqual([]);
      await Promise.all(closed);
    },
  );

  it('takes a frozen process with it', async () => {
    process.kill(running.pids[1]!, 'SIGSTOP');
    await running.stop();
    expect(await running.exited).toEqual({ code: 0, signal: null });
    await allSilent();
  });

  it('is killed as a whole when all of it is frozen', async () => {
    for (const pid of running.pids) process.kill(pid, 'SIGSTOP');
    await running.stop();
    expect(await running.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await allSilent();
  });
});
