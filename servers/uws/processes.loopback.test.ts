import { once } from 'node:events';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningTarget, startTarget } from '../../src/targets/launch/process.js';
import { freePort } from '../../src/targets/launch/readiness.js';
import { furtherProcesses, replaceProcess } from '../../src/targets/launch/stats.js';
import { targetByName } from '../../src/targets/list.js';
import type { TargetStats } from '../../src/targets/target.js';
import { naming } from '../../test/refusal.js';
import { eventually, publishTo, WsJsonClients } from '../../test/ws-json-client.js';

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
  const clients = new WsJsonClients();

  beforeEach(async () => {
    running = await startTarget(uws, { host: '127.0.0.1', processes: 3 });
    urls = running.endpoints.wsUrls;
  });

  afterEach(async () => {
    clients.terminate();
    await running.stop();
  });

  const subscriber = (index: number) => clients.subscribe(urls[index % urls.length]!);
  const subscribers = (count: number) => Promise.all(Array.from({ length: count }, (_, index) => subscriber(index)));
  const publish = (wsUrl: string, data: string) => publishTo(httpOf(wsUrl, '/_broadcast'), data);

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

const host = '127.0.0.1';
const over = new AbortController().signal;

/** On chosen ports: one that the system chose is not free again while old connections to it linger. */
async function revived(reviveAfterMs: number): Promise<RunningTarget> {
  const port = await freePort(host);
  const furtherPorts = [await freePort(host), await freePort(host)];
  return startTarget(uws, { host, port, furtherPorts, processes: 2, reviveAfterMs });
}

describe.skipIf(!there.isAvailable)('uws with two processes that it revives', () => {
  let running: RunningTarget;
  const clients = new WsJsonClients();

  beforeEach(async () => {
    running = await revived(0);
  });

  afterEach(async () => {
    clients.terminate();
    await running.stop();
  });

  const subscriber = (url: string) => clients.subscribe(url);
  const publish = (data: string) => publishTo(running.endpoints.publishUrl, data);

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
    running = await revived(600_000);
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
