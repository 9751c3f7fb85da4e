import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { healthy, imageLack, printed, titled } from '../test/engines.js';

const started: string[] = [];
const locked = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'];
const limited = ['--memory', '512m', '--cpus', '1'];
const listening = ['--env', 'RINGSIDE_HOST=0.0.0.0', '--env', 'RINGSIDE_TOKEN=of a test'];

/** Starts a container as engines should; `args` are options of the engine. */
function start(...args: string[]): string {
  const container = printed('podman', ['run', '--detach', ...locked, ...limited, ...args, 'ringside']);
  started.push(container);
  return container;
}

/** The ledger of a small run in a container that can write only to /tmp; the machine decides its exit code. */
function ledgerOf(...flags: string[]): unknown {
  const load = ['--subscribers', '7', '--broadcasts', '53', '--rate', '50/s', '--warm-up', '3', '--json'];
  const where = ['run', '--rm', ...locked, 'ringside', 'run', 'latency', '--results', '/tmp/results'];
  const { stdout, stderr } = spawnSync('podman', [...where, ...load, ...flags], { encoding: 'utf8' });
  expect(stdout, stderr).toMatch(/^\{/);
  return JSON.parse(stdout).ledger;
}

afterAll(() => started.map((container) => spawnSync('podman', ['rm', '--force', '--time', '0', container])));

describe.skipIf(imageLack)(titled('the image', imageLack), () => {
  it('is under 200 MB, with a numeric user and a healthcheck', () => {
    const [image] = JSON.parse(printed('podman', ['image', 'inspect', 'ringside']));
    expect(image.Size).toBeLessThan(200e6);
    expect(image.Config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image.Healthcheck.Test).toEqual(['CMD', 'ringside-healthy']);
  });

  it('is healthy as soon as it listens, and ends well at SIGTERM', async () => {
    const container = start(...listening);
    await healthy('podman', container);
    expect(spawnSync('podman', ['exec', container, 'ringside-healthy', '8081']).status).toBe(1);
    printed('podman', ['stop', '--time', '40', container]);
    expect(printed('podman', ['inspect', '--format', '{{.State.ExitCode}}', container])).toBe('0');
  });

  it.each([
    ['ws', 'library'],
    ['uws', 'wire'],
    ['socketio', 'library'],
    ['metronome', 'wire'],
  ])('runs %s, and %s clients against it', (target, client) => {
    expect(ledgerOf('--target', target, '--client', client)).toMatchObject({ acked: 53, delivered: 53 * 7, lost: 0 });
  });

  it('has the native engine', () => {
    const given = ['--target', 'ws', '--engine', 'native'];
    expect(ledgerOf(...given)).toMatchObject({ acked: 53, delivered: 53 * 7, lost: 0 });
  });

  it('has every module that its commands import', () => {
    const script =
      `const { commands } = await import('/app/dist/src/cli/commands.js');` +
      `const loaded = await Promise.all(commands.map(({ load }) => load()));` +
      `process.stdout.write(String(loaded.length));`;
    const node = ['--entrypoint', 'node', 'ringside', '--input-type=module', '--eval', script];
    expect(Number(printed('podman', ['run', '--rm', ...locked, ...node]))).toBe(commands.length);
  });
});
