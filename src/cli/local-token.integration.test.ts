import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RunnerHttp } from '../../test/runner-http.js';
import { workplace } from '../../test/workplace.js';
import { isGone } from '../targets/observe/proc-files.js';

const place = workplace();
const load = ['--clients', '7', '--broadcasts', '9973', '--rate', '50/s'];

it.runIf(process.platform === 'linux')('a bench-runner of a local run answers its driver only', async () => {
  const drivers = [1, 2].map(() =>
    place.ringside(['run', 'latency', '--target', 'metronome', ...load], { RINGSIDE_TOKEN: 'of-other-shards' }),
  );
  const tokens: string[] = [];
  for (const driver of drivers) {
    await driver.said('stderr', /publish/);
    const [runner] = driver.family(' bench-runner ');
    const token = variablesOf(runner!.pid).get('RINGSIDE_TOKEN') ?? '';
    const [port] = portsOf(runner!.pid);
    for (const path of ['/now', '/info', '/runs/5eed0007'])
      expect((await new RunnerHttp(port!).ask('GET', path)).status).toBe(401);
    expect((await new RunnerHttp(port!, `Bearer ${token}`).ask('GET', '/now')).status).toBe(200);
    for (const { command } of driver.family()) expect(command).not.toContain(token);
    tokens.push(token);
    driver.kill('SIGINT');
  }
  const ends = await Promise.all(drivers.map(({ ended }) => ended));
  for (const { code, stdout, stderr } of ends) {
    expect(code).toBe(130);
    for (const token of tokens) expect(stdout + stderr).not.toContain(token);
  }
  expect(new Set([...tokens, 'of-other-shards', '']).size).toBe(4);
});

function variablesOf(pid: number): Map<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return new Map(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
}

/** Where a process listens on IPv4 (proc_net_tcp(5)). */
function portsOf(pid: number): number[] {
  const sockets = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1, -1);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(`socket:[${inode}]`))
    .map(([, local]) => Number.parseInt(local!.split(':')[1]!, 16));
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (isGone(error)) return '';
    throw error;
  }
}
