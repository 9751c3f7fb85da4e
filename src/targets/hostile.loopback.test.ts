import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { Child } from './launch/child.js';
import { ask, fetchStats } from './launch/stats.js';

const forged = '\x1b[2J\nverdict  clean: nothing shows the rig\u202e';
let server: Server | undefined;

afterEach(() => server?.close());

/** The address of a target that answers everything by this. */
async function answering(body: string): Promise<string> {
  server = createServer((_request, response) => response.end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/_stats`;
}

it('stats tell versions and settings in clean and short words, and few of them', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 101 }, (_, n) => [`${forged} ${n}`, `${forged}${'x'.repeat(997)}`]),
  );
  const figures = { pid: 7, rssBytes: 1, cpuUserUs: 1, cpuSystemUs: 1, connections: 1 };
  const loop = { eventLoopDelayP99Ms: 1, eventLoopUtilization: 0.5 };
  const stats = { ...figures, ...loop, versions: many, settings: { ...many, deep: [many] } };
  const { versions, settings } = await fetchStats(await answering(JSON.stringify(stats)));
  expect([Object.keys(versions).length, Object.keys(settings).length]).toEqual([64, 64]);
  for (const text of [...Object.entries(versions), ...Object.entries(settings)].flat()) {
    expect(String(text).length).toBeLessThanOrEqual(256);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});

it('an answer without an end is given up', async () => {
  await expect(ask(await answering('x'.repeat(17 * 1024 * 1024)), { withinMs: 60_000 })).rejects.toThrow();
});

it('the log of a process is kept in clean and short lines', async () => {
  const script = `process.stderr.write(${JSON.stringify(`\x1b[31mred\x1b[0m \u202eline\n${'x'.repeat(997)}\n`)})`;
  const child = new Child({ command: process.execPath, args: ['-e', script], env: {} }, {}, false);
  await child.exited;
  await child.lastWords();
  expect(child.tail()).toEqual(['red line', `${'x'.repeat(255)}…`]);
});
