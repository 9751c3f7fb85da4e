import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { anycable, anycablePro } from '../anycable.js';
import { binaryOf, binaryOnPath } from './anycable-binary.js';

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

it('takes the executable that the variable names', () => {
  vi.stubEnv('ANYCABLE_GO_BIN', file('mine'));
  expect(binaryOf('ANYCABLE_GO_BIN')).toEqual({ path: join(folder, 'mine') });
  vi.stubEnv('ANYCABLE_GO_BIN', '');
  expect(binaryOf('ANYCABLE_GO_BIN')).toBeUndefined();
});

it.each(['nothing', 'text', '.'])('refuses a variable that names %s, whatever is on PATH', async (name) => {
  file('anycable-go');
  file('text', 0o644);
  vi.stubEnv('ANYCABLE_GO_BIN', join(folder, name));
  const why = naming('ANYCABLE_GO_BIN', join(folder, name));
  expect(await anycable.availability()).toMatchObject({
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
  expect(binaryOnPath()).toEqual({ path: join(folder, 'b/anycable-go') });
  vi.stubEnv('PATH', join(folder, 'a'));
  expect(binaryOnPath()).toBeUndefined();
});

it('never runs the launcher of the npm package: it takes the binary beside it, or says that there is none', () => {
  symlinkSync(file('package/bin/index.mjs'), join(folder, 'anycable-go'));
  expect(binaryOnPath()).toEqual({ why: expect.any(String) });
  file('package/bin/anycable-go');
  expect(binaryOnPath()).toEqual({ path: join(folder, 'package/bin/anycable-go') });
});

it('takes no open-source binary for Pro', async () => {
  vi.stubEnv('ANYCABLE_GO_BIN', file('anycable-go'));
  expect(await anycablePro.availability()).toMatchObject({
    isAvailable: false,
    why: naming('ANYCABLE_GO_PRO_BIN'),
  });
});
