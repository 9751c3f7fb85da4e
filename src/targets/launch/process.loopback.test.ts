import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { built } from '../../../test/built.js';
import { compiled } from '../../../test/compiled.js';
import { naming } from '../../../test/refusal.js';
import { targetByName } from '../list.js';
import type { Target } from '../target.js';
import { type RunningTarget, startTarget } from './process.js';
import { freePort, TargetStartError } from './readiness.js';

const [list, starter] = [await compiled('src/targets/list.ts'), await compiled('src/targets/launch/process.ts')];
const ws = targetByName('ws')!;
const host = '127.0.0.1';

/** The target `ws`, run by a script of the test's own. */
function scripted(script: string): Target {
  return { ...ws, start: () => ({ command: process.execPath, args: ['-e', script], env: {} }) };
}

async function failure(
  target: Target,
  port?: number,
  processes?: number,
): Promise<InstanceType<typeof TargetStartError>> {
  const error = await startTarget(target, { host, port, processes }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TargetStartError);
  return error as InstanceType<typeof TargetStartError>;
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a target that runs', () => {
  let stale: RunningTarget;
  let port: number;

  beforeAll(async () => {
    stale = await startTarget(ws, { host });
    port = Number(new URL(stale.endpoints.healthUrl).port);
  });

  afterAll(() => stale.stop());

  it('tells its versions, its settings and its process', () => {
    expect(stale).toMatchObject({
      target: ws,
      pid: expect.any(Number),
      versions: { node: process.versions.node },
      settings: {},
    });
    expect(isAlive(stale.pid)).toBe(true);
  });

  it('keeps the next one from its port, which is told whose it is', async () => {
    expect(await failure(ws, port)).toMatchObject({ code: 'portTaken', why: naming('ws', port, host, stale.pid) });
  });

  it('is noticed when it answers in the place of the one that was started', async () => {
    const script = `console.log(JSON.stringify({ listening: { port: ${port} } }));
    setInterval(() => {}, 1009)`;
    const error = await failure(scripted(script));
    const [answering, started] = [...error.why.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid));
    expect([error.code, answering]).toEqual(['otherAnswers', stale.pid]);
    expect(started).not.toBe(stale.pid);
    expect(isAlive(started!)).toBe(false);
  });

  it('is told apart from a program that is no target', async () => {
    const server = createServer((_, response) => response.end('hello')).listen(0, host);
    await once(server, 'listening');
    const taken = (server.address() as AddressInfo).port;
    expect(await failure(ws, taken)).toMatchObject({
      code: 'portTaken',
      why: expect.not.stringMatching(/process \d/),
    });
    server.close();
  });
});

it('serves on the port that was asked for, stops, and takes a second stop for done', async () => {
  const first = await startTarget(ws, { host });
  const port = Number(new URL(first.endpoints.healthUrl).port);
  await first.stop();
  const second = await startTarget(ws, { host, port });
  expect(new URL(second.endpoints.wsUrl).port).toBe(String(port));
  expect((await request(second.endpoints.healthUrl)).statusCode).toBe(200);
  await second.stop();
  expect(await second.exited).toEqual({ code: 0, signal: null });
  expect(isAlive(second.pid)).toBe(false);
  await second.stop();
});

const uws = targetByName('uws')!;
const { isAvailable } = await uws.availability();

it.runIf(isAvailable).each(['SIGTERM', 'SIGKILL'] as const)(
  'is restarted after %s at its port, as another process',
  async (signal) => {
    const port = await freePort(host);
    const first = await startTarget(uws, { host, port });
    // A connection that the server ends stays at its port for a while.
    await request(first.endpoints.healthUrl);
    const second = await first.restart(signal);
    expect(await first.exited).toEqual(signal === 'SIGKILL' ? { code: null, signal } : { code: 0, signal: null });
    expect(second.endpoints).toEqual(first.endpoints);
    expect(second.pid).not.toBe(first.pid);
    expect((await request(second.endpoints.healthUrl, { reset: true })).statusCode).toBe(200);
    await second.stop();
    expect(isAlive(second.pid)).toBe(false);
  },
);

it('is not left running when its restart fails', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'ringside-restart-')), 'begun');
  const script = `
    const { existsSync, writeFileSync } = require('node:fs');
    if (existsSync(${JSON.stringify(file)})) throw new Error('never twice');
    writeFileSync(${JSON.stringify(file)}, '');
    import(${JSON.stringify(pathToFileURL(built('servers/ws/main.js')).href)});`;
  const first = await startTarget(scripted(script), { host });
  await expect(first.restart('SIGTERM')).rejects.toMatchObject({ code: 'ended', why: naming('exit code 1') });
  expect(isAlive(first.pid)).toBe(false);
  rmSync(dirname(file), { recursive: true });
});

it('gets the environment that it is given', async () => {
  const target = scripted('console.error(process.env.SEVEN, process.env.RINGSIDE_EXIT_WITH_STDIN)');
  const start = startTarget(target, { host, env: { SEVEN: '7' } });
  await expect(start).rejects.toMatchObject({ code: 'ended', why: naming('exit code 0', '7 1') });
});

it('is given up at once, with its last words, when it ends before it serves', async () => {
  const error = await failure(scripted('console.error("one"); console.error("no licence"); process.exitCode = 7'));
  expect(error).toMatchObject({ code: 'ended', why: naming('ws', 'exit code 7', 'no licence') });
  expect(error.hint.split('\n').slice(1)).toEqual(['one', 'no licence']);
});

const lives = 'setInterval(() => {}, 1009)';
const noStats = `
  const server = require('node:http').createServer((_, response) => response.end('{"pid":7}'));
  server.listen(0, '${host}', () => console.log(JSON.stringify({ listening: server.address() })));`;

it.each([
  [
    'ends before its first answer',
    'console.log(\'{"listening":{"port":1}}\'); process.exit(11)',
    'ended',
    'exit code 11',
  ],
  ['is healthy and has no stats', noStats, 'notServing', 'rssBytes'],
  ['prints something else', `console.log("Welcome"); ${lives}`, 'notServing', 'Welcome'],
  [
    'announces another number of ports',
    `console.log('{"listening":{"port":7,"ports":[7,9]}}'); ${lives}`,
    'notServing',
    '7, 9',
  ],
])('is given up when it %s', async (_what, code, expected, why) => {
  expect(await failure(scripted(code))).toMatchObject({ code: expected, why: naming(why) });
});

it('is given up when its program is not there', async () => {
  const error = await failure({ ...ws, start: () => ({ command: '/nowhere/ws', args: [], env: {} }) });
  expect(error).toMatchObject({ code: 'ended', why: naming('/nowhere/ws', 'ENOENT') });
});

it('is not started as more processes than it can be', async () => {
  const start = startTarget(ws, { host, processes: 2 });
  await expect(start).rejects.toMatchObject({
    name: 'TargetStartError',
    code: 'wrongProcesses',
    why: naming('ws', 2),
  });
  for (const processes of [0, 1.5, 65]) {
    const error = await failure(targetByName('uws')!, undefined, processes);
    expect(error).toMatchObject({ code: 'wrongProcesses', why: naming('uws', 64, processes) });
  }
});

it.runIf(existsSync('/proc/self/status'))(
  'is given up when its stats name a process that is none of its own',
  async () => {
    const stats = {
      ...{ rssBytes: 7, cpuUserUs: 7, cpuSystemUs: 7, connections: 0, eventLoopDelayP99Ms: 0, eventLoopUtilization: 0 },
      ...{ versions: {}, settings: {} },
    };
    const part = { rssBytes: 7, cpuUserUs: 7, cpuSystemUs: 7, connections: 0 };
    const script = `
    const server = require('node:http').createServer((_, response) => {
      const part = ${JSON.stringify(part)};
      const processes = [{ pid: process.pid, port, ...part }, { pid: ${process.pid}, port: 7, ...part }];
      response.end(JSON.stringify({ ...${JSON.stringify(stats)}, pid: process.pid, processes }));
    });
    let port;
    server.listen(0, '${host}', () => {
      port = server.address().port;
      console.log(JSON.stringify({ listening: { port, ports: [port, 7] } }));
    });`;
    const error = await failure({ ...scripted(script), maxProcesses: 2 }, undefined, 2);
    expect(error).toMatchObject({ code: 'otherAnswers', why: naming(process.pid, 7) });
  },
);

it('is not started when it is not available', async () => {
  let starts = 0;
  const error = await failure({
    ...ws,
    start: (...where) => {
      starts++;
      return ws.start(...where);
    },
    availability: async () => ({ isAvailable: false, why: 'no binary', hint: 'Bring one.' }),
  });
  expect(error).toMatchObject({ code: 'notAvailable', why: naming('ws', 'no binary'), hint: 'Bring one.' });
  expect(starts).toBe(0);
});

it('is killed when it does not stop by itself', async () => {
  const running = await startTarget(ws, { host });
  process.kill(running.pid, 'SIGSTOP');
  await running.stop();
  expect(await running.exited).toEqual({ code: null, signal: 'SIGKILL' });
});

it('ends with the program that started it, even if that is killed', async () => {
  const script = `
    const { targetByName } = await import(${JSON.stringify(list)});
    const { startTarget } = await import(${JSON.stringify(starter)});
    const { endpoints } = await startTarget(targetByName('ws'), { host: '${host}' });
    console.log(endpoints.healthUrl);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const url = String(line).trim();
  expect((await request(url, { reset: true })).statusCode).toBe(200);
  parent.kill('SIGKILL');
  const answer = () =>
    request(url, { reset: true }).then(
      ({ statusCode }) => String(statusCode),
      (error: NodeJS.ErrnoException) => error.code,
    );
  await expect.poll(answer, { timeout: 30_000 }).toBe('ECONNREFUSED');
});

it.skipIf(!process.env.ANYCABLE_GO_BIN)('anycable-go does not take a port that another program has', async () => {
  const server = createNetServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(startTarget(targetByName('anycable')!, { host, port })).rejects.toThrow(TargetStartError);
  server.close();
});
