import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { io, type Socket } from 'socket.io-client';
import { request } from 'undici';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningTarget, startTarget } from '../../src/targets/launch/process.js';
import { furtherProcesses, replaceProcess } from '../../src/targets/launch/stats.js';
import { targetByName } from '../../src/targets/list.js';
import type { TargetStats } from '../../src/targets/target.js';
import { familyOf } from '../../test/family.js';
import { testable } from '../../test/testable.js';
import { eventually, publishTo } from '../../test/ws-json-client.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ringside-redis-')));
afterAll(() => rmSync(folder, { recursive: true }));

const rows = await Promise.all(
  [
    { name: 'socketio-redis', recovers: false },
    { name: 'socketio-redis-streams', recovers: true },
  ].map(async (row) => ({ ...row, there: (await testable(targetByName(row.name)!)).isAvailable })),
);

async function statsOf({ endpoints }: RunningTarget): Promise<TargetStats> {
  return (await (await request(endpoints.statsUrl!)).body.json()) as TargetStats;
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ESRCH');
    return false;
  }
}

describe.each(rows)('$name', ({ name, recovers, there }) => {
  describe.skipIf(!there)('serves with several processes', () => severalProcesses(name, recovers));
});

function severalProcesses(name: string, recovers: boolean): void {
  const target = targetByName(name)!;
  let running: RunningTarget;
  let sockets: Socket[];
  /** Redis hides its environment, so that no family has it. */
  let redisPid: number;

  beforeEach(async () => {
    sockets = [];
    running = await start();
  });

  afterEach(async () => {
    for (const socket of sockets) socket.disconnect();
    await running.stop();
    await nothingLeft();
  });

  async function start(more: { processes?: number; reviveAfterMs?: number } = {}): Promise<RunningTarget> {
    const started = await startTarget(target, { host: '127.0.0.1', env: { TMPDIR: folder }, ...more });
    redisPid = (await statsOf(started)).besides![0]!.pid;
    return started;
  }

  async function nothingLeft(): Promise<void> {
    await expect.poll(() => [familyOf(folder), isThere(redisPid)], eventually).toEqual([[], false]);
  }

  const originOf = (index: number): string => new URL(running.endpoints.wsUrls[index]!).origin;

  /** A subscriber at one of the processes, and what it received. */
  async function subscriber(index: number) {
    const socket = io(originOf(index), { transports: ['websocket'], forceNew: true });
    sockets.push(socket);
    const heard: unknown[] = [];
    socket.on('message', (message) => heard.push(message));
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    await socket.timeout(30_000).emitWithAck('join', 'news');
    return { socket, heard };
  }

  /** At the address for publishes, or at that of a process. */
  const publish = (value: unknown, index?: number): Promise<void> => {
    const url = index === undefined ? undefined : new URL('/_broadcast', originOf(index).replace('ws:', 'http:'));
    return publishTo(url ?? running.endpoints.publishUrl, JSON.stringify(value));
  };

  it('delivers what any process is given to the subscribers of all, once and in order', async () => {
    const readers = await Promise.all([0, 1, 0, 1].map(subscriber));
    const values = Array.from({ length: 17 }, (_, n) => n);
    for (const value of values) await publish(value);
    for (const { heard } of readers) await expect.poll(() => heard, eventually).toEqual(values);
    await publish('of the other', 1);
    for (const { heard } of readers) await expect.poll(() => heard.slice(17), eventually).toEqual(['of the other']);
  });

  it('whispers to the subscribers of all processes but the sender', async () => {
    const [sender, near, far] = await Promise.all([0, 0, 1].map(subscriber));
    sender!.socket.emit('whisper', 'news', 19);
    for (const { heard } of [near!, far!]) await expect.poll(() => heard, eventually).toEqual([19]);
    await sender!.socket.timeout(30_000).emitWithAck('echo', 'mark');
    expect(sender!.heard).toEqual([]);
  });

  it('tells its processes, and Redis beside them', async () => {
    await Promise.all([0, 1, 1].map(subscriber));
    const { processes, besides, versions, ...sums } = await statsOf(running);
    expect(processes!.map(({ pid, connections }) => [pid, connections])).toEqual([
      [running.pids[0], 1],
      [running.pids[1], 2],
    ]);
    expect(besides).toMatchObject([{ program: 'redis-server' }]);
    expect(isThere(redisPid)).toBe(true);
    expect(versions['redis-server']).toMatch(/^\d+\.\d+/);
    for (const key of ['rssBytes', 'cpuUserUs', 'cpuSystemUs'] as const)
      expect(sums[key], key).toBe([...processes!, ...besides!].reduce((sum, each) => sum + each[key], 0));
  });

  it(`${recovers ? 'recovers' : 'does not recover'} a session at another process`, async () => {
    await missesOne({ cut: async ({ io: manager }) => void manager.engine.close(), backAt: 1 });
    expect((await statsOf(running)).processes!.map(({ connections }) => connections)).toEqual([0, 1]);
  });

  it(`${recovers ? 'recovers' : 'does not recover'} the sessions of a process that was told to end`, async () => {
    await running.stop();
    running = await start({ reviveAfterMs: 0 });
    const statsUrl = running.endpoints.statsUrl!;
    const [first] = await furtherProcesses(statsUrl);
    const over = new AbortController().signal;
    await missesOne({ cut: () => replaceProcess(statsUrl, first!, { signal: 'SIGTERM', downMs: 0, over }), backAt: 0 });
  });

  /** A client of the first address that is cut misses a broadcast, and has it at its return if sessions recover. */
  async function missesOne({ cut, backAt }: { cut(socket: Socket): Promise<void>; backAt: number }): Promise<void> {
    const { socket, heard } = await subscriber(0);
    await publish(31);
    await expect.poll(() => heard, eventually).toEqual([31]);
    const isGone = new Promise((resolve) => socket.once('disconnect', resolve));
    socket.io.reconnection(false);
    await cut(socket);
    await isGone;
    await publish(37);
    // The manager connects to its address, and keeps the session of the socket.
    (socket.io as unknown as { uri: string }).uri = originOf(backAt);
    const isBack = new Promise<void>((resolve) => socket.once('connect', resolve));
    socket.connect();
    await isBack;
    await socket.timeout(30_000).emitWithAck('echo', 'mark');
    expect([socket.recovered === true, heard]).toEqual(recovers ? [true, [31, 37]] : [false, [31]]);
  }

  it.each(['SIGTERM', 'SIGKILL'] as const)('goes on while a process that ends by %s is replaced', async (signal) => {
    await running.stop();
    running = await start({ reviveAfterMs: 0 });
    const statsUrl = running.endpoints.statsUrl!;
    const [first] = await furtherProcesses(statsUrl);
    const stays = await subscriber(1);
    await replaceProcess(statsUrl, first!, { signal, downMs: 0, over: new AbortController().signal });
    const back = await subscriber(0);
    await publish(41);
    for (const { heard } of [stays, back]) await expect.poll(() => heard, eventually).toEqual([41]);
  });

  it.each([
    ['Redis', () => redisPid],
    ['a process', () => running.pids[1]!],
  ])('ends as a whole, with exit code 1 and a word, when %s dies', async (_what, pidOf) => {
    process.kill(pidOf(), 'SIGKILL');
    expect(await running.exited).toEqual({ code: 1, signal: null });
    await expect.poll(() => running.stderrTail(), eventually).toEqual([expect.stringMatching(/lost \(SIGKILL\)/)]);
    await nothingLeft();
  });

  it('leaves no process behind when the first one is killed', async () => {
    process.kill(running.pid, 'SIGKILL');
    expect(await running.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await nothingLeft();
  });

  it('is killed as a whole when all of it is frozen', async () => {
    for (const pid of [...running.pids, redisPid]) process.kill(pid, 'SIGSTOP');
    await running.stop();
    expect(await running.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await nothingLeft();
  });

  it('is refused as one process', async () => {
    await expect(start({ processes: 1 })).rejects.toMatchObject({ code: 'wrongProcesses' });
  });
}
