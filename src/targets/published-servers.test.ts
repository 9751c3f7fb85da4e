import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { naming } from '../../test/refusal.js';
import { anycablePro, anycablePusher, anycableServer, anycableTarget, binaryOnPath } from './published-servers.js';

const target = anycableServer({
  name: 'anycable-13',
  summary: '',
  hint: 'Bring one.',
  find: () => ['/opt/anycable-go'],
});

it('starts with its port in every place that wants it', () =>
  expect(target.start({ host: '127.0.0.7', port: 3001 })).toEqual({
    command: '/opt/anycable-go',
    args: [
      ...['--host=127.0.0.7', '--port=3001', '--public', '--presets=broker', '--broker=memory'],
      ...['--broadcast_adapter=http', '--http_broadcast_port=3001', '--metrics_http=/metrics'],
    ],
    env: { ANYCABLE_DISABLE_TELEMETRY: 'true' },
  }));

it('reports every flag and variable but the address as a setting', () => {
  const { args, env } = target.start({ host: '127.0.0.7', port: 3001 });
  const given = args.slice(2).map((arg) => arg.slice(2).split('=', 1)[0]!);
  expect(Object.keys(target.settings)).toEqual([...given, ...Object.keys(env)]);
});

it('has no stats, and says why when it has no binary', async () => {
  expect(target.endpoints({ host: '127.0.0.7', port: 3001 }).statsUrl).toBeUndefined();
  const without = anycableServer({
    name: 'anycable-17',
    summary: '',
    hint: 'Bring one.',
    find: () => ({ why: 'nowhere', hint: 'Bring one.' }),
  });
  expect(await without.availability()).toEqual({ isAvailable: false, why: 'nowhere', hint: 'Bring one.' });
});

it('serves its Pusher app at the paths of Pusher, and its settings show no secret', () => {
  const { args, env } = anycablePusher.start({ host: '127.0.0.7', port: 3001 });
  expect(args).toContain('--norpc');
  expect(args).not.toContain('--public');
  expect([...args, JSON.stringify(anycablePusher.settings)].join()).not.toContain('app-secret');
  expect(env.ANYCABLE_PUSHER_SECRET).toBe('app-secret');
  expect(anycablePusher.endpoints({ host: '127.0.0.7', port: 3001 })).toMatchObject({
    wsUrl: 'ws://127.0.0.7:3001/app/app-key?protocol=7',
    publishUrl: 'http://127.0.0.7:3001/apps/app-id/events',
  });
});

/** A program that names this version, as the `anycable-go` of this machine. */
function installed(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ringside-anycable-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'anycable-go');
  writeFileSync(path, `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  vi.stubEnv('ANYCABLE_GO_BIN', path);
  return path;
}

it.each(['1.6.3-cf9a0c3', '1.6.16'])('serves Pusher clients from version %s', async (version) => {
  installed(version);
  expect(await anycablePusher.availability()).toEqual({ isAvailable: true, version });
});

it.each(['1.5.6-0d5d1c3', '1.6.2.1'])(
  'is no Pusher server of version %s, and says since which it is',
  async (found) => {
    const path = installed(found);
    expect(await anycableTarget.availability()).toEqual({ isAvailable: true, version: found });
    expect(await anycablePusher.availability()).toMatchObject({
      isAvailable: false,
      why: naming(path, found, '1.6.3'),
      hint: naming('1.6.3', 'ANYCABLE_GO_BIN'),
    });
  },
);

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ringside-anycable-')));
  vi.stubEnv('ANYCABLE_GO_BIN', undefined);
  vi.stubEnv('ANYCABLE_GO_PRO_BIN', undefined);
  vi.stubEnv('PATH', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function file(name: string, mode = 0o755): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, '', { mode });
  return path;
}

it.each(['nothing', 'text', '.'])('refuses a variable that names %s, whatever is on PATH', async (name) => {
  file('anycable-go');
  file('text', 0o644);
  vi.stubEnv('ANYCABLE_GO_BIN', join(folder, name));
  const why = naming('ANYCABLE_GO_BIN', join(folder, name));
  expect(await anycableTarget.availability()).toMatchObject({
    isAvailable: false,
    why,
    hint: expect.stringContaining('ANYCABLE_GO_BIN'),
  });
});

it('takes the first executable on PATH', () => {
  file('a/anycable-go', 0o644);
  file('b/anycable-go');
  file('c/anycable-go');
  vi.stubEnv('PATH', ['', 'a', 'b', 'c'].map((name) => name && join(folder, name)).join(delimiter));
  expect(binaryOnPath()).toEqual([join(folder, 'b/anycable-go')]);
  vi.stubEnv('PATH', join(folder, 'a'));
  expect(binaryOnPath()).toBeUndefined();
});

it('never runs the launcher of the npm package: it takes the binary beside it, or says that there is none', () => {
  symlinkSync(file('package/bin/index.mjs'), join(folder, 'anycable-go'));
  expect(binaryOnPath()).toMatchObject({ why: expect.any(String) });
  file('package/bin/anycable-go');
  expect(binaryOnPath()).toEqual([join(folder, 'package/bin/anycable-go')]);
});

it('takes no open-source binary for Pro', async () => {
  vi.stubEnv('ANYCABLE_GO_BIN', file('anycable-go'));
  expect(await anycablePro.availability()).toMatchObject({
    isAvailable: false,
    why: naming('ANYCABLE_GO_PRO_BIN'),
  });
});
