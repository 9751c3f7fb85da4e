import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningTarget, startTarget } from '../src/targets/launch/process.js';
import { freePort } from '../src/targets/launch/readiness.js';
import { targets } from '../src/targets/list.js';
import { bunNeed } from '../src/targets/needs/list.js';
import { languageOf, librariesOf, settingsOf } from '../test/server-facts.js';
import { testable } from '../test/testable.js';
import { eventually } from '../test/ws-json-client.js';
import { maxBodyBytes } from './routes.js';

const own = targets.filter((target) => target.endpoints({ host: '127.0.0.1', port: 1 }).statsUrl !== undefined);
const rows = await Promise.all(
  own.map(async (target) => ({ name: target.name, target, there: await testable(target) })),
);

const versionOf: Record<string, string> = { node: process.versions.node, bun: bunNeed.version };

it('has the targets of servers/', () => expect(own.map((target) => target.name)).toEqual(Object.keys(settingsOf)));

/** The runtime and its program. */
const programOf = (target: (typeof own)[number]): string => {
  const { command, args } = target.start({ host: '127.0.0.1', port: 0 });
  return `${command} ${args[0]}`;
};
const languageIn = (target: (typeof own)[number]): string => languageOf[target.needs?.[0]?.name ?? ''] ?? 'node';
const isScript = (target: (typeof own)[number]): boolean => ['node', 'bun'].includes(languageIn(target));
/** What comes before the address: the script, if there is one. */
const scriptOf = (target: (typeof own)[number]): string[] => {
  const { args } = target.start({ host: '127.0.0.1', port: 0 });
  return args.slice(0, args.indexOf('--host'));
};
const isFirstOf = (target: (typeof own)[number]): boolean =>
  own.find((other) => programOf(other) === programOf(target)) === target;

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe.each(rows)('$name', ({ target, there }) => {
  describe.skipIf(!there.isAvailable)('keeps the contract', () => {
    let running: RunningTarget;

    beforeAll(async () => {
      running = await startTarget(target, { host: '127.0.0.1' });
    });

    afterAll(() => running.stop());

    async function publish(body: string) {
      // Some have another way of publishing, too.
      const answer = await request(new URL('/_broadcast', running.endpoints.publishUrl), { method: 'POST', body });
      return { status: answer.statusCode, text: await answer.body.text() };
    }

    async function connections(): Promise<number> {
      const { body } = await request(running.endpoints.statsUrl!);
      return ((await body.json()) as { connections: number }).connections;
    }

    it('answers a publish with 201 and nothing, subscribers or not', async () => {
      expect(await publish('{"stream":"nobody","data":"{\\"seq\\":7}"}')).toEqual({ status: 201, text: '' });
    });

    it.each(['{"stream":', '{"stream":"s","data":{"seq":7}}', '{"stream":"s","data":"{seq"}'])(
      'answers 400 to %s',
      async (body) => {
        const answer = await publish(body);
        expect(answer.status).toBe(400);
        expect(JSON.parse(answer.text)).toEqual({ message: expect.stringMatching(/JSON/) });
      },
    );

    it('takes a body of exactly the limit and answers 413 to one byte more', async () => {
      const frame = '{"stream":"nobody","data":"\\"\\""}'.length;
      const bodyOf = (bytes: number) => `{"stream":"nobody","data":"\\"${'x'.repeat(bytes - frame)}\\""}`;
      expect((await publish(bodyOf(maxBodyBytes))).status).toBe(201);
      expect(await publish(bodyOf(maxBodyBytes + 1))).toEqual({
        status: 413,
        text: expect.stringContaining('1048576'),
      });
    });

    it('publishes a batch by itself where it offers that, and answers when all is published', async () => {
      const { inProcessUrl } = running.endpoints;
      const base = new URL('/', running.endpoints.healthUrl).href;
      const body = JSON.stringify({ stream: 'nobody', ratePerSecond: 500, data: ['{"seq":7}', '{"seq":8}', '9'] });
      const post = async (text: string) => {
        const answer = await request(inProcessUrl ?? `${base}_publish-in-process`, { method: 'POST', body: text });
        return { status: answer.statusCode, answer: (await answer.body.json()) as object };
      };
      if (target.name.startsWith('metronome') || !isScript(target)) {
        expect((await post(body)).status).toBe(404);
        return;
      }
      expect(await post(body)).toEqual({ status: 200, answer: { published: 3, tookMs: expect.any(Number) } });
      expect(await post(body.replace('500', '0'))).toEqual({
        status: 400,
        answer: { message: expect.stringContaining('ratePerSecond') },
      });
      expect((await post(' '.repeat(maxBodyBytes + 1))).status).toBe(413);
    });

    it('answers 404 elsewhere, and health', async () => {
      const base = new URL('/', running.endpoints.healthUrl).href;
      expect((await request(`${base}nowhere`)).statusCode).toBe(404);
      expect((await request(`${base}_broadcast`)).statusCode).toBe(404);
      const health = await request(running.endpoints.healthUrl);
      expect([health.statusCode, await health.body.text()]).toEqual([200, '{"status":"ok"}']);
    });

    it('tells its process, its versions and what differs from the defaults', async () => {
      const stats = (await (await request(running.endpoints.statsUrl!)).body.json()) as Record<string, unknown>;
      expect(stats).toMatchObject({
        pid: running.pid,
        versions: { [languageIn(target)]: versionOf[languageIn(target)] ?? expect.stringMatching(/^\d+\.\d+/) },
        settings: settingsOf[target.name],
      });
      // Of a runtime alone, or of a library on it, or of two that share the work.
      expect(Object.keys(stats.versions as object)).toHaveLength(librariesOf[target.name] ?? 2);
      expect(stats.rssBytes).toBeGreaterThan(0);
      if (languageIn(target) === 'node') expect(stats.eventLoopUtilization).toBeGreaterThan(0);
      else expect(stats).not.toHaveProperty('eventLoopUtilization');
      if (isScript(target)) expect(stats.eventLoopDelayP99Ms).toBeGreaterThanOrEqual(0);
      else expect(stats).not.toHaveProperty('eventLoopDelayP99Ms');
      // A kernel splits CPU time by its ticks: a young process may have time of one kind only, until it did more.
      const cpuNow = async () => {
        const now = (await (await request(running.endpoints.statsUrl!)).body.json()) as Record<string, number>;
        return [now.cpuUserUs! > 0, now.cpuSystemUs! > 0];
      };
      expect(Number(stats.cpuUserUs) + Number(stats.cpuSystemUs)).toBeGreaterThan(0);
      await expect.poll(cpuNow, { timeout: 60_000, interval: 1 }).toEqual([true, true]);
      expect(stats.settings).toEqual(settingsOf[target.name]);
    });

    it('counts the connections that are open now', async () => {
      const sockets = Array.from({ length: 7 }, () => new WebSocket(running.endpoints.wsUrl));
      await Promise.all(sockets.map((socket) => once(socket, 'open')));
      await expect.poll(connections, eventually).toBe(7);
      for (const socket of sockets.slice(0, 2)) socket.close();
      sockets[2]!.terminate();
      await expect.poll(connections, eventually).toBe(4);
      for (const socket of sockets.slice(3)) socket.terminate();
      await expect.poll(connections, eventually).toBe(0);
    });
  });

  // Targets of one program differ by what they speak, and not in how their process lives.
  describe.skipIf(!there.isAvailable || !isFirstOf(target))('lives and ends as promised', () => {
    function run(args: string[], env: Record<string, string> = {}) {
      const command = target.start({ host: '127.0.0.1', port: 0 });
      const child = spawn(command.command, args, { stdio: 'pipe', env: { ...process.env, ...env } });
      children.push(child);
      const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
      return { child, ended: ended.then(([stdout, stderr, [code, signal]]) => ({ stdout, stderr, code, signal })) };
    }

    const argsFor = (port: number) => target.start({ host: '127.0.0.1', port }).args;

    async function listening(child: ChildProcess): Promise<{ host: string; port: number; pid: number }> {
      const [line] = (await once(child.stdout!, 'data')) as [Buffer];
      return JSON.parse(String(line)).listening;
    }

    // Erlang has no handler for SIGINT, which ends its VM as it is.
    const isLeft = (signal: string): boolean => languageIn(target) === 'erlang' && signal === 'SIGINT';

    it.each(['SIGTERM', 'SIGINT'] as const)(
      'prints one line, and ends on %s with clients connected',
      async (signal) => {
        const { child, ended } = run(argsFor(0));
        const address = await listening(child);
        const ports = target.minProcesses && { ports: Array(target.minProcesses).fill(expect.any(Number)) };
        expect(address).toEqual({ host: '127.0.0.1', port: expect.any(Number), ...ports, pid: child.pid });
        const socket = new WebSocket(target.endpoints(address).wsUrl);
        await once(socket, 'open');
        const closed = once(socket, 'close');
        child.kill(signal);
        expect(await ended).toMatchObject({
          ...(isLeft(signal) ? { code: null, signal } : { code: 0, signal: null }),
          stderr: '',
          stdout: `${JSON.stringify({ listening: address })}\n`,
        });
        await closed;
        expect(() => process.kill(child.pid!, 0)).toThrow('ESRCH');
      },
    );

    it('exits 1 with one line when the port is in use', async () => {
      // Both are asked for the port by number: a port that the system chose is not shared, whatever the listen options.
      const { child } = run(argsFor(await freePort('127.0.0.1')));
      const { port } = await listening(child);
      const second = await run(argsFor(port)).ended;
      const line = new RegExp(`^\\S+: .*port ${port} .*in use.*\\n$`);
      expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(line) });
    });

    it('exits with its stdin when it is asked to, and only then', async () => {
      const asked = run(argsFor(0), { RINGSIDE_EXIT_WITH_STDIN: '1' });
      const unasked = run(argsFor(0));
      const [, address] = await Promise.all([listening(asked.child), listening(unasked.child)]);
      unasked.child.stdin.end();
      asked.child.stdin.end();
      expect(await asked.ended).toMatchObject({ code: 0, signal: null });
      expect((await request(target.endpoints(address).healthUrl)).statusCode).toBe(200);
    });

    it.each([['--port=70001'], ['--port=http'], ['--processes=0'], ['--processes=two'], ['--nonsense']])(
      'exits 2 on %s',
      async (argument) => {
        const ended = await run([...scriptOf(target), argument]).ended;
        expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^\S+: .+\n$/) });
      },
    );

    it.skipIf(target.maxProcesses > 1)('exits 2 when it is to be several processes', async () => {
      const ended = await run([...scriptOf(target), '--processes=2']).ended;
      expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^\S+: .*-processes.*\n$/) });
    });

    it.runIf(target.maxProcesses > 1)('announces the ports of all its processes, and all end with stdin', async () => {
      const { child, ended } = run([...argsFor(0), '--processes=3'], { RINGSIDE_EXIT_WITH_STDIN: '1' });
      const { port, ports } = (await listening(child)) as { port: number; ports?: number[] };
      expect(ports).toEqual(target.ports === 'shared' ? undefined : [port, expect.any(Number), expect.any(Number)]);
      child.stdin.end();
      expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    });
  });
});
