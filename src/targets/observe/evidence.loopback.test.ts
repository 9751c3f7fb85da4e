import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { wallSigns } from './evidence.js';
import { startObservation } from './observe.js';
import { hostSource, procSource } from './proc.js';

const host = '127.0.0.1';
const everyMs = 101;
/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 60_000, interval: 53 };
const started: ChildProcess[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A Node process under a limit of open files; resolves with the first thing that it says. */
async function run(script: string, descriptors: number): Promise<{ child: ChildProcess; said: string }> {
  const command = `ulimit -n ${descriptors} && exec "$0" -e "$1"`;
  const child = spawn('/bin/sh', ['-c', command, process.execPath, script], { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  return { child, said: String((await once(child.stdout!, 'data'))[0]) };
}

describe.skipIf(process.platform !== 'linux')('a wall of this machine', () => {
  it('is seen when a process has opened what it may', async () => {
    const { child, said } = await run(
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
    const { child, said } = await run(
      `const server = require('node:net').createServer();
       server.listen({ host: '${host}', port: 0, backlog: 1 }, () =>
         process.stdout.write(String(server.address().port)));`,
      211,
    );
    const observation = startObservation([hostSource()], everyMs);
    await expect.poll(() => observation.peek('acceptQueueOverflowsPerSecond'), eventually).toBeDefined();
    child.kill('SIGSTOP');
    for (let i = 0; i < 7; i++) sockets.push(connect({ host, port: Number(said) }).on('error', () => undefined));
    await expect.poll(() => observation.peek('acceptQueueOverflowsPerSecond') ?? 0, eventually).toBeGreaterThan(0);
    const signs = wallSigns(await observation.stop(), {});
    expect(signs.map(({ wall }) => wall)).toContain('acceptOverflow');
  });
});
