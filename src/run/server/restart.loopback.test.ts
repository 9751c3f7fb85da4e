import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { restartExternal } from './restart.js';

const going = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'ringside-restart-'));
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  if (request.url === '/mute') return;
  response.writeHead(Number(request.url?.slice(1))).end('said');
});
let at: string;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

it('a restart by command is done when the shell ends well', async () => {
  const file = join(folder, 'done');
  await restartExternal({ command: `echo seven > '${file}'` }, going);
  expect(readFileSync(file, 'utf8')).toBe('seven\n');
});

it.each([
  ['exit 7', 'exit code 7'],
  ['kill -TERM $$', 'SIGTERM'],
  ['ringside-has-no-such-program 2> /dev/null', 'exit code 127'],
])('a restart by command fails as %s does', async (command, why) => {
  await expect(restartExternal({ command }, going)).rejects.toThrow(why);
});

it('a restart by command does not outlive the run, nor does what it waits for', async () => {
  const over = new AbortController();
  const file = join(folder, 'pid');
  const restart = restartExternal({ command: `sleep 61 & echo $! > '${file}'; wait` }, over.signal);
  const failed = expect(restart).rejects.toThrow('SIGKILL');
  await expect
    .poll(() => Number(readFileSync(file, { encoding: 'utf8', flag: 'a+' })), { timeout: 30_000 })
    .toBeGreaterThan(0);
  over.abort();
  await failed;
  const sleeper = Number(readFileSync(file, 'utf8'));
  await expect.poll(() => isAlive(sleeper), { timeout: 30_000 }).toBe(false);
});

it('a restart by webhook is an empty POST that is answered well', async () => {
  await restartExternal({ url: `${at}/202` }, going);
  expect(asked.at(-1)).toBe('POST /202');
});

it.each(['302', '500'])('a restart by webhook fails by an answer of %s, and tells no address', async (status) => {
  await expect(restartExternal({ url: `${at}/${status}` }, going)).rejects.toThrow(new RegExp(`^[^:/]*\\b${status}$`));
});

it('a restart by webhook fails where nobody answers', async () => {
  await expect(restartExternal({ url: 'http://127.0.0.1:1/' }, going)).rejects.toThrow(/^[^:/]*: ECONNREFUSED$/);
});

it('a restart by webhook is not waited for beyond the run', async () => {
  const over = new AbortController();
  const restart = restartExternal({ url: `${at}/mute` }, over.signal);
  const failed = expect(restart).rejects.toThrow(/webhook/);
  await expect.poll(() => asked.at(-1), { timeout: 30_000 }).toBe('POST /mute');
  over.abort();
  await failed;
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
