import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Socket } from 'socket.io-client';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { type RunningTarget, startTarget } from '../src/targets/launch/process.js';
import { freePort } from '../src/targets/launch/readiness.js';
import { fetchStats, furtherProcesses, replaceProcess } from '../src/targets/launch/stats.js';
import { targetByName } from '../src/targets/list.js';
import { built } from '../test/built.js';
import { familyOf } from '../test/family.js';
import { socketioTalkers, type Talker, type TalkerKind, wsJsonTalkers } from '../test/talkers.js';
import { testable } from '../test/testable.js';
import { eventually, publishTo } from '../test/ws-json-client.js';

const host = '127.0.0.1';
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ringside-processes-')));
afterAll(() => rmSync(folder, { recursive: true }));

const over = new AbortController().signal;
const redis = ['socketio-redis', 'socketio-redis-streams'];
const rows = await Promise.all(
  ['uws', ...redis].map(async (name) => ({ name, isHere: (await testable(targetByName(name)!)).isAvailable })),
);

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ESRCH');
    return false;
  }
}

describe.each(rows)('$name', ({ name, isHere }) => {
  describe.skipIf(!isHere)('as three processes', () => {
    const kind: TalkerKind<WebSocket | Socket> = redis.includes(name) ? socketioTalkers : wsJsonTalkers;
    const talkers: Talker[] = [];
    let running: RunningTarget;
    /** Redis hides its environment, so that no family has it. */
    let besides: number[] = [];

    /** On chosen ports: one that the system chose is not free again while old connections to it linger. */
    async function start(more: { reviveAfterMs?: number } = {}): Promise<void> {
      const [port, ...furtherPorts] = [await freePort(host), await freePort(host), await freePort(host)];
      const processes = more.reviveAfterMs === undefined ? 3 : 2;
      const env = { TMPDIR: folder };
      running = await startTarget(targetByName(name)!, { host, port, furtherPorts, processes, env, ...more });
      besides = ((await statsOf()).besides ?? []).map(({ pid }) => pid);
    }

    const statsOf = () => fetchStats(running.endpoints.statsUrl!);
    const nothingLeft = () =>
      expect.poll(() => [familyOf(folder), besides.filter(isThere)], eventually).toEqual([[], []]);

    afterEach(async () => {
      for (const talker of talkers.splice(0)) talker.end();
      await running.stop();
      await nothingLeft();
    });

    async function subscriber(index: number) {
      const { wsUrls } = running.endpoints;
      const talker = await kind.open(wsUrls[index % wsUrls.length]!);
      talkers.push(talker);
      await talker.subscribe('news');
      return talker;
    }

    /** At the address for publishes, or at that of a process. */
    const publish = (data: string, index?: number): Promise<void> => {
      const at = index === undefined ? running.endpoints.publishUrl : running.endpoints.wsUrls[index]!;
      return publishTo(new URL('/_broadcast', at.replace('ws:', 'http:')), data);
    };
    const hears = ({ heard }: Talker, ...data: string[]) =>
      expect.poll(() => heard, eventually).toEqual(data.map(kind.published));

    it('delivers what any process is given to the subscribers of all, once and in order', async () => {
      await start();
      const readers = await Promise.all([0, 1, 2, 3, 4, 5, 6].map(subscriber));
      const told = (publisher: number) => Array.from({ length: 31 }, (_, sequence) => `[${publisher},${sequence}]`);
      await Promise.all(
        [0, 1, 2].map(async (publisher) => {
          for (const data of told(publisher)) await publish(data, publisher);
        }),
      );
      for (const { heard } of readers) await expect.poll(() => heard.length, eventually).toBe(93);
      // A copy that lagged behind would arrive before these.
      for (const publisher of [0, 1, 2]) await publish(`"over ${publisher}"`, publisher);
      for (const { heard } of readers) {
        await expect.poll(() => heard.length, eventually).toBe(96);
        const texts = heard.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
        for (const publisher of [0, 1, 2])
          expect(texts.filter((text) => text.startsWith(`[${publisher},`))).toEqual(told(publisher));
      }
    });

    it('whispers to the subscribers of all processes but the sender', async () => {
      await start();
      const [sender, ...others] = await Promise.all([0, 0, 1, 2].map(subscriber));
      sender!.whisper('news', 'żółć');
      for (const { heard } of others)
        await expect.poll(() => heard, eventually).toEqual([kind.whispered('news', 'żółć')]);
      await sender!.echo('mark');
      expect(sender!.heard).toEqual([]);
    });

    it('answers the stats of all from the first, each of their sums footing', async () => {
      await start();
      await Promise.all([0, 1, 2, 3, 4, 5, 6].map(subscriber));
      const gauge = async () => (await statsOf()).processes?.map(({ connections }) => connections);
      await expect.poll(gauge, eventually).toEqual([3, 2, 2]);
      const { processes = [], besides: others = [], versions, ...sums } = await statsOf();
      expect(processes.map(({ pid }) => pid)).toEqual(running.pids);
      expect(new Set(running.pids)).toHaveLength(3);
      expect(others.map(({ program }) => program)).toEqual(redis.includes(name) ? ['redis-server'] : []);
      if (redis.includes(name)) expect(versions['redis-server']).toMatch(/^\d+\.\d+/);
      for (const key of ['rssBytes', 'cpuUserUs', 'cpuSystemUs'] as const)
        expect(sums[key], key).toBe([...processes, ...others].reduce((sum, each) => sum + each[key], 0));
      expect(sums.connections).toBe(7);
    });

    it.each(redis.includes(name) ? ['a process', 'Redis'] : ['a process'])(
      'ends as a whole, with exit code 1 and a word, when %s dies',
      async (what) => {
        await start();
        await Promise.all([0, 1, 2].map(subscriber));
        process.kill(what === 'Redis' ? besides[0]! : running.pids[2]!, 'SIGKILL');
        expect(await running.exited).toEqual({ code: 1, signal: null });
        await expect.poll(() => running.stderrTail(), eventually).toEqual([expect.stringMatching(/lost \(SIGKILL\)/)]);
      },
    );

    it('leaves no process behind when the first one is killed', async () => {
      await start();
      process.kill(running.pid, 'SIGKILL');
      expect(await running.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await nothingLeft();
    });

    it.each(['SIGTERM', 'SIGINT'] as const)(
      'exits 0 on %s that the terminal sends to every process',
      async (signal) => {
        await start();
        await Promise.all([0, 1, 2].map(subscriber));
        for (const pid of running.pids.toReversed()) process.kill(pid, signal);
        expect(await running.exited).toEqual({ code: 0, signal: null });
        expect(running.stderrTail()).toEqual([]);
      },
    );

    it('takes a frozen process with it, and is killed as a whole when all of it is frozen', async () => {
      await start();
      process.kill(running.pids[1]!, 'SIGSTOP');
      await running.stop();
      expect(await running.exited).toEqual({ code: 0, signal: null });
      await start();
      for (const pid of [...running.pids, ...besides]) process.kill(pid, 'SIGSTOP');
      await running.stop();
      expect(await running.exited).toEqual({ code: null, signal: 'SIGKILL' });
    });

    it.each(['SIGTERM', 'SIGKILL'] as const)(
      'replaces one that ends by %s, and the other serves on',
      async (signal) => {
        await start({ reviveAfterMs: 0 });
        expect(running.pids).not.toContain(running.pid);
        const { statsUrl = '' } = running.endpoints;
        const [first, second] = await furtherProcesses(statsUrl);
        const stays = await subscriber(1);
        await replaceProcess(statsUrl, first!, { signal, downMs: 0, over });
        const after = await furtherProcesses(statsUrl);
        expect(after.map(({ port }) => port)).toEqual([first!.port, second!.port]);
        expect(after.map(({ pid }) => [first!.pid, second!.pid].indexOf(pid))).toEqual([-1, 1]);
        const back = await subscriber(0);
        await publish('7');
        for (const talker of [stays, back]) await hears(talker, '7');
      },
    );

    it('takes publishes while one is away, and comes back whole at its ports after a restart', async () => {
      await start({ reviveAfterMs: 600_000 });
      const { endpoints, pids } = running;
      const stays = await subscriber(1);
      const [first, second] = await furtherProcesses(endpoints.statsUrl!);
      process.kill(first!.pid, 'SIGKILL');
      const living = async () => (await furtherProcesses(endpoints.statsUrl!)).map(({ pid }) => pid);
      await expect.poll(living, eventually).toEqual([second!.pid]);
      await publish('7');
      await hears(stays, '7');
      running = await running.restart('SIGKILL');
      besides = ((await statsOf()).besides ?? []).map(({ pid }) => pid);
      expect(running.endpoints).toEqual(endpoints);
      expect(running.pids.filter((pid) => pids.includes(pid))).toEqual([]);
    });

    if (!redis.includes(name)) return;

    const recovers = name === 'socketio-redis-streams';
    it.each(['another process', 'its process that was told to end'])(
      `${recovers ? 'recovers' : 'does not recover'} a session at %s`,
      async (where) => {
        await start(where === 'another process' ? {} : { reviveAfterMs: 0 });
        const { wsUrls, statsUrl = '' } = running.endpoints;
        const [talker, [first]] = [await subscriber(0), await furtherProcesses(statsUrl)];
        const socket = talker.socket as Socket;
        await publish('31');
        await hears(talker, '31');
        const isGone = new Promise((resolve) => socket.once('disconnect', resolve));
        socket.io.reconnection(false);
        if (where === 'another process') socket.io.engine.close();
        else await replaceProcess(statsUrl, first!, { signal: 'SIGTERM', downMs: 0, over });
        await isGone;
        await publish('37');
        // The manager connects to its address, and keeps the session of the socket.
        const back = new URL(wsUrls[where === 'another process' ? 1 : 0]!).origin;
        (socket.io as unknown as { uri: string }).uri = back;
        const isBack = once(socket as unknown as NodeJS.EventEmitter, 'connect');
        socket.connect();
        await isBack;
        await talker.echo('mark');
        expect([socket.recovered === true, talker.heard]).toEqual(recovers ? [true, [31, 37]] : [false, [31]]);
      },
    );
  });
});

it('says in one line that uWebSockets.js has no binary for this platform, and exits 2', () => {
  const library = join(folder, 'node_modules', 'uWebSockets.js');
  mkdirSync(library, { recursive: true });
  writeFileSync(join(library, 'package.json'), '{"name":"uWebSockets.js","version":"2.3.5","main":"index.js"}');
  writeFileSync(join(library, 'index.js'), 'throw new Error("supports only other platforms.\\n\\nreally");');
  const args = [built('servers/uws/main.js'), '--packages', folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const line = /^uws: .*uWebSockets\.js.*supports only other platforms\. really\n$/;
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(line)]);
});
