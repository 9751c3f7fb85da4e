import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { MetricName, Series } from '../../measure/series.js';
import { startTarget } from '../launch/process.js';
import { targetByName } from '../list.js';
import { wallSigns } from './evidence.js';
import { type Observation, startObservation } from './observe.js';
import { hostSource, procSource } from './proc.js';
import { type ObservationAxis, type ObservationSource, type Readings, statsSource } from './source.js';

const everyMs = 101;

/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 60_000, interval: 53 };

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A Node process that runs a script with `say` in it; resolves once that said `ready`. */
async function run(script: string): Promise<{ child: ChildProcess; pid: number; tell: (word: string) => void }> {
  const child = spawn(process.execPath, ['-e', `const say = (word) => process.stdout.write(word);${script}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.push(child);
  expect(String((await once(child.stdout!, 'data'))[0])).toBe('ready');
  return { child, pid: child.pid!, tell: (word) => void child.stdin!.write(word) };
}

const idle = `setInterval(() => {}, 1009); say('ready');`;

function named(series: Series[], name: MetricName, pid: number): Series[] {
  return series.filter((each) => each.name === name && each.process === String(pid));
}

function pollPeek(observation: Observation, name: MetricName) {
  return expect.poll(() => observation.peek(name) ?? 0, eventually);
}

describe.skipIf(process.platform !== 'linux')('a process of this machine', () => {
  it('shows the memory that it takes, the thread that it burns and the files that it opens', async () => {
    const { pid, tell } = await run(`
      const { openSync } = require('node:fs');
      process.stdin.once('data', () => {
        globalThis.kept = Buffer.alloc(64 * 2 ** 20, 7);
        for (let used = 0; used < 1e6; used = process.cpuUsage().user + process.cpuUsage().system);
        globalThis.files = Array.from({ length: 97 }, () => openSync('/dev/null'));
        ${idle}
      });
      say('ready');`);
    const observation = startObservation([procSource(pid)], everyMs);
    await expect.poll(() => observation.peek('busiestThreadPercent'), eventually).toBeDefined();
    const before = { rss: observation.peek('rssBytes')!, descriptors: observation.peek('descriptors')! };
    tell('go');
    await pollPeek(observation, 'rssBytes').toBeGreaterThan(before.rss + 60e6);
    await pollPeek(observation, 'descriptors').toBeGreaterThanOrEqual(before.descriptors + 97);
    const series = await observation.stop();
    // However small a share of a core it had: what it took adds up, and the files were opened after it.
    const burnt = (named(series, 'busiestThreadPercent', pid)[0]?.points ?? []).reduce(
      (sum, { atMs, value }, n, points) => sum + ((value / 100) * (atMs - (points[n - 1]?.atMs ?? atMs))) / 1000,
      0,
    );
    expect(burnt).toBeGreaterThan(0.75);
    expect(burnt).toBeLessThan(1.5);
    const pss = named(series, 'pssBytes', pid)[0]?.points[0]?.value ?? 0;
    expect(pss).toBeGreaterThan(1e6);
    expect(pss).toBeLessThanOrEqual(before.rss * 1.5);
    expect(named(series, 'threads', pid)[0]?.points[0]?.value).toBeGreaterThan(1);
    expect(named(series, 'descriptorLimit', pid)[0]?.points).toHaveLength(1);
    for (const { points, endedBecause } of series) {
      expect(endedBecause).toBeUndefined();
      for (const [index, { atMs }] of points.entries()) expect(atMs).toBeGreaterThan(points[index - 1]?.atMs ?? -1);
    }
  });

  it('ends in the middle of an observation without one more point', async () => {
    const { child, pid } = await run(idle);
    let axis: ObservationAxis | undefined;
    const watch: ObservationSource = {
      source: 'stats',
      reads: [],
      async read(given) {
        axis = given;
        return { endings: [], values: [] };
      },
    };
    const observation = startObservation([watch, procSource(pid), hostSource()], everyMs);
    await expect.poll(() => observation.peek('cpuPercent'), eventually).toBeDefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const diedMs = axis!.nowMs();
    await expect.poll(() => observation.peek('rssBytes'), eventually).toBeUndefined();
    await delay(3 * everyMs);
    const series = await observation.stop();
    const ofProcess = series.filter((each) => each.process === String(pid));
    expect(ofProcess.length).toBe(10);
    for (const { points, endedBecause } of ofProcess) {
      expect(endedBecause).toMatch(new RegExp(`\\b${pid}\\b`));
      expect(points.length).toBeGreaterThan(0);
      expect(points.at(-1)!.atMs).toBeLessThan(diedMs);
    }
    const host = series.filter((each) => each.name === 'memAvailableBytes');
    expect(host).toHaveLength(1);
    expect(host[0]?.points.at(-1)?.atMs).toBeGreaterThan(diedMs);
  });

  it('brings its children along, to their end, and leaves out what others started', async () => {
    const { child, pid, tell } = await run(`
      const { spawn } = require('node:child_process');
      process.stdin.once('data', () => {
        const args = ['-e', 'process.stdin.resume()'];
        const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
        say(String(child.pid));
      });
      ${idle}`);
    const source = procSource(pid);
    const read = () => source.read({ nowMs: () => performance.now() }, new AbortController().signal);
    const seen = ({ values }: Readings) => [...new Set(values.map(({ process }) => process))];
    expect(seen(await read())).toEqual([String(pid)]);
    const said = once(child.stdout!, 'data');
    tell('go');
    const childPid = Number(String((await said)[0]));
    expect(seen(await read())).toEqual([String(pid), String(childPid)]);
    process.kill(childPid, 'SIGKILL');
    await expect
      .poll(async () => (await read()).endings, eventually)
      .toEqual([{ process: String(childPid), because: expect.stringMatching(new RegExp(`\\b${childPid}\\b`)) }]);
    expect(seen(await read())).toEqual([String(pid)]);
  });
});

const local = '127.0.0.1';

const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A Node process under a limit of open files; resolves with the first thing that it says. */
async function limited(script: string, descriptors: number): Promise<{ child: ChildProcess; said: string }> {
  const command = `ulimit -n ${descriptors} && exec "$0" -e "$1"`;
  const child = spawn('/bin/sh', ['-c', command, process.execPath, script], { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  return { child, said: String((await once(child.stdout!, 'data'))[0]) };
}

describe.skipIf(process.platform !== 'linux')('a wall of this machine', () => {
  it('is seen when a process has opened what it may', async () => {
    const { child, said } = await limited(
      `const { openSync } = require('node:fs');
       try { for (;;) openSync('/dev/null'); } catch (error) { process.stdout.write(error.code); }
       setInterval(() => {}, 1009);`,
      211,
    );
    expect(said).toBe('EMFILE');
    const observation = startObservation([procSource(child.pid!)], everyMs);
    await expect.poll(() => observation.peek('descriptors') ?? 0, eventually).toBeGreaterThan(0);
    // A descriptor that it inherited may have a number beyond the limit, and count on top.
    expect(wallSigns(await observation.stop(), {})).toEqual([
      {
        wall: 'descriptorWall',
        evidence: expect.stringMatching(new RegExp(`\\b${child.pid}\\b.* 21\\d of 211 .* \\d+\\.\\d s$`)),
      },
    ]);
  });

  it('is seen when nobody takes connections from the accept queue', async () => {
    const { child, said } = await limited(
      `const server = require('node:net').createServer();
       server.listen({ host: '${local}', port: 0, backlog: 1 }, () =>
         process.stdout.write(String(server.address().port)));`,
      211,
    );
    const observation = startObservation([hostSource()], everyMs);
    await expect.poll(() => observation.peek('acceptQueueOverflowsPerSecond'), eventually).toBeDefined();
    child.kill('SIGSTOP');
    for (let i = 0; i < 7; i++) sockets.push(connect({ host: local, port: Number(said) }).on('error', () => undefined));
    await expect.poll(() => observation.peek('acceptQueueOverflowsPerSecond') ?? 0, eventually).toBeGreaterThan(0);
    const signs = wallSigns(await observation.stop(), {});
    expect(signs.map(({ wall }) => wall)).toContain('acceptOverflow');
  });
});

it('the stats of a target come from its process, count its connections, and end with it', async () => {
  const running = await startTarget(targetByName('ws')!, { host: local });
  const observation = startObservation([statsSource(running.endpoints.statsUrl!)], everyMs);
  await expect.poll(() => observation.peek('connections'), eventually).toBe(0);
  const sockets = Array.from({ length: 7 }, () => new WebSocket(running.endpoints.wsUrl));
  await expect.poll(() => observation.peek('connections'), eventually).toBe(7);
  await expect.poll(() => observation.peek('eventLoopUtilization'), eventually).toBeDefined();
  for (const socket of sockets) socket.terminate();
  await running.stop();
  await expect.poll(() => observation.peek('connections'), eventually).toBeUndefined();
  const series = await observation.stop();
  const names = ['rssBytes', 'connections', 'cpuPercent', 'eventLoopDelayP99Ms', 'eventLoopUtilization'];
  expect(series.map(({ name }) => name)).toEqual(names);
  for (const { source, process, points, endedBecause } of series) {
    expect([source, process]).toEqual(['stats', String(running.pid)]);
    expect(points.length).toBeGreaterThan(0);
    expect(endedBecause).toMatch(/ECONNREFUSED|other side closed|ECONNRESET/);
  }
});
