import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InstallError, install } from './install.js';
import { bun } from './list.js';
import { folderOf, homeVariable, isInstalled, needsFolder } from './place.js';

let home: string;
const need = { ...bun, proof: (folder: string) => [join(folder, 'program'), '--version'] as const };

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringside-home-'));
  vi.stubEnv(homeVariable, home);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

/** Puts an `npm` in front of the real one. It runs `script` in the folder that it is given. */
function npmThat(script: string): void {
  const folder = join(home, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'npm'), 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
}

const installing = (signal = new AbortController().signal) => install(need, { progress: () => undefined, signal });
const program = (version: string) => `printf '#!/bin/sh\\necho ${version}\\n' > program; chmod +x program`;
const left = () => (existsSync(needsFolder()) ? readdirSync(needsFolder()) : []);

it('fills a folder beside the place, proves it and moves it there, once', async () => {
  npmThat(`[ "$1" = ci ] && [ -f package-lock.json ] && pwd >> ${join(home, 'calls')} && ${program(need.version)}`);
  await installing();
  expect(isInstalled(need)).toBe(true);
  expect(readdirSync(folderOf(need)).sort()).toEqual(['package-lock.json', 'package.json', 'program']);
  expect(left()).toHaveLength(1);
  rmSync(join(home, 'calls'));
  await installing();
  expect(existsSync(join(home, 'calls'))).toBe(false);
});

it.each([
  ['npm fails', 'echo "npm error code EINTEGRITY" >&2; exit 1', /EINTEGRITY/],
  ['its program names another version', program('0.0.7'), /0\.0\.7/],
  ['its program does not run', 'echo > program', /program/],
])('leaves nothing where %s', async (_why, script, said) => {
  npmThat(script);
  const error = await installing().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InstallError);
  expect((error as Error).message).toMatch(said);
  expect(left()).toEqual([]);
});

it('leaves nothing where it is interrupted', async () => {
  const ending = new AbortController();
  npmThat(`touch ${join(home, 'started')}; exec sleep 60`);
  const ended = installing(ending.signal).catch((thrown: unknown) => thrown);
  await expect.poll(() => existsSync(join(home, 'started')), { timeout: 30_000 }).toBe(true);
  ending.abort();
  expect(await ended).toBeInstanceOf(InstallError);
  expect(left()).toEqual([]);
});

it('removes what a killed install left behind, and takes it for no install', async () => {
  // No process has a number beyond the kernel's limit of 2^22.
  mkdirSync(join(needsFolder(), `.${need.name}-4194305`), { recursive: true });
  expect(isInstalled(need)).toBe(false);
  npmThat(program(need.version));
  await installing();
  expect(left()).toEqual([expect.stringMatching(/^bun-[0-9a-f]{12}$/)]);
});
