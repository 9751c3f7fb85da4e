import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { built } from '../../test/built.js';
import type { Command } from '../../test/command.js';
import { workplace } from '../../test/workplace.js';

const place = workplace();
/** Several looks of a process for the npm that started it. */
const afterLooksMs = 2003;

beforeAll(() => {
  // As npm installs a package.
  const programs = join(place.folder, 'node_modules', '.bin');
  mkdirSync(programs, { recursive: true });
  symlinkSync(built('src/cli/main.js'), join(programs, 'ringside'));
  writeFileSync(join(place.folder, 'package.json'), '{ "name": "of-a-user", "private": true }');
});

/** A shell that runs a script, in which `npx` finds Ringside. */
function shell(script: string): Command {
  return place.start('sh', ['-c', script], { npm_config_offline: 'true', npm_config_update_notifier: 'false' });
}

async function portOf(command: Command): Promise<number> {
  const [, port] = await command.said('stdout', /"listening":\{.*?"port":(\d+)/);
  return Number(port);
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

describe.runIf(process.platform === 'linux').concurrent('a server that npx started', () => {
  it.each([
    ['bench-runner', 'SIGTERM'],
    ['bench-runner', 'SIGKILL'],
    ['target ws', 'SIGTERM'],
  ] as const)('%s ends with it on %s, and leaves nothing behind', async (server, signal) => {
    const command = shell(`npx ringside ${server} --port 0 & echo "npx $!"; wait`);
    const [, npx] = await command.said('stdout', /npx (\d+)\n/);
    const port = await portOf(command);
    expect(await answers(port)).toBe(true);
    process.kill(Number(npx), signal);
    await vi.waitFor(async () => expect(await answers(port)).toBe(false), { timeout: 60_000 });
    await vi.waitFor(() => expect(command.family()).toEqual([]), { timeout: 60_000 });
  });

  it.each([
    ['the shell that started npx', 'npx ringside bench-runner --port 0 & sleep 3'],
    ['npx, if it has a session of its own', 'npx -c "setsid ringside bench-runner --port 0 & sleep 3"'],
  ])('outlives %s', async (_, script) => {
    const command = shell(script);
    const port = await portOf(command);
    const [server] = command.family(' bench-runner ').filter(({ command: line }) => line.startsWith('node '));
    await vi.waitFor(() => expect(command.family('sleep 3')).toEqual([]), { timeout: 60_000 });
    await delay(afterLooksMs);
    expect(await answers(port)).toBe(true);
    process.kill(server!.pid, 'SIGTERM');
    await command.ended;
    expect(command.family()).toEqual([]);
  });
});
