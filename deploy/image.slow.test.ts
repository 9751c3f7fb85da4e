import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { afterwards } from '../test/afterwards.js';
import { healthy, imageLack, printed, titled } from '../test/engines.js';

const container = `ringside-test-${process.pid}`;
const locked = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'];
const limited = ['--memory', '512m', '--cpus', '1'];
const listening = ['--env', 'RINGSIDE_HOST=0.0.0.0', '--env', 'RINGSIDE_TOKEN=of a test'];

/** The ledger of a small run in a container that can write only to /tmp; the machine decides its exit code. */
function ledgerOf(...flags: string[]): unknown {
  const load = ['--clients', '7', '--broadcasts', '53', '--rate', '50/s', '--warm-up', '3', '--json'];
  const where = ['run', '--rm', ...locked, 'ringside', 'run', 'latency', '--results', '/tmp/results'];
  const { stdout, stderr } = spawnSync('podman', [...where, ...load, ...flags], { encoding: 'utf8' });
  expect(stdout, stderr).toMatch(/^\{/);
  return JSON.parse(stdout).ledger;
}

describe.skipIf(imageLack)(titled('the image', imageLack), () => {
  it('is under 200 MB, with a numeric user and a healthcheck', () => {
    const [image] = JSON.parse(printed('podman', ['image', 'inspect', 'ringside']));
    expect(image.Size).toBeLessThan(200e6);
    expect(image.Config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image.Healthcheck.Test).toEqual(['CMD', 'ringside-healthy']);
  });

  it('is healthy as soon as it listens, and ends well at SIGTERM', async () => {
    onTestFinished(afterwards(`podman rm --force --time 0 ${container}`));
    printed('podman', ['run', '--detach', '--name', container, ...locked, ...limited, ...listening, 'ringside']);
    await healthy('podman', container);
    expect(spawnSync('podman', ['exec', container, 'ringside-healthy', '8081']).status).toBe(1);
    expect(printed('podman', ['exec', container, 'id', '--user'])).toBe('1000');
    expect(spawnSync('podman', ['exec', container, 'touch', '/app/results/x']).status).toBe(1);
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

  it('has the sources that `ringside install` builds and names by their content', () => {
    const foldersOf = (list: string) => new Set(list.match(/needs\/\w+-[0-9a-f]{12}/g));
    const here = printed(process.execPath, ['dist/src/cli/main.js', 'install', '--list']);
    const there = printed('podman', ['run', '--rm', ...locked, 'ringside', 'install', '--list']);
    expect(foldersOf(here)).not.toEqual(new Set());
    expect(foldersOf(there)).toEqual(foldersOf(here));
  });

  it('has every module that its commands import', () => {
    const script = commands.map(({ name }) => `node dist/src/cli/main.js help ${name} | head -1`).join('; ');
    const usages = printed('podman', ['run', '--rm', ...locked, '--entrypoint', 'sh', 'ringside', '-c', script]);
    expect(usages.split('\n')).toEqual(commands.map(({ name }) => expect.stringContaining(`Usage: ringside ${name}`)));
  });
});
