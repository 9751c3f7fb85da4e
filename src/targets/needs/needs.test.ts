import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { targets } from '../list.js';
import { installLack, lackOf } from './lack.js';
import { needByName, needs } from './list.js';
import { folderOf, homeVariable, isInstalled, pinsOf } from './place.js';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringside-home-'));
  vi.stubEnv(homeVariable, home);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

interface Pinned {
  version?: string;
  resolved?: string;
  integrity?: string;
  optional?: boolean;
  dependencies?: Record<string, string>;
}

it('has a folder with pins for each need, and no other', () => {
  const names = needs.map(({ name }) => name).sort();
  expect(readdirSync(join(pinsOf(needs[0]!), '..')).sort()).toEqual(names);
  for (const name of names) expect(needByName(name)).toMatchObject({ name });
  expect(needByName('ws')).toBeUndefined();
});

it.each(needs)('pins $name to versions and contents, and to no registry', (need) => {
  const read = (file: string) => JSON.parse(readFileSync(join(pinsOf(need), file), 'utf8'));
  const { '': root, ...packages } = read('package-lock.json').packages as Record<string, Pinned>;
  const { dependencies = {}, optionalDependencies = {} } = read('package.json') as Record<
    string,
    Record<string, string>
  >;
  for (const version of Object.values({ ...dependencies, ...optionalDependencies }))
    expect(version).toMatch(/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+$/);
  expect(root?.dependencies).toEqual(dependencies);
  expect(need.title).toContain(need.version);
  for (const [path, { version, resolved, integrity, optional }] of Object.entries(packages)) {
    expect(version, path).toMatch(/^\d+\.\d+\.\d+/);
    expect(resolved, path).toBeUndefined();
    // The contents of those for other platforms are not known everywhere; npm never installs them without.
    if (optional !== true) expect(integrity, path).toMatch(/^sha512-/);
  }
});

it('keeps each need in a folder of its own under the home', () => {
  const folders = needs.map(folderOf);
  expect(new Set(folders).size).toBe(needs.length);
  for (const folder of folders) expect(folder.startsWith(join(home, 'needs'))).toBe(true);
});

it('names what is missing until its folder is there', () => {
  const [need] = needs;
  const suited = { ...need!, platforms: [`${process.platform}-${process.arch}`] };
  expect(lackOf([])).toBeUndefined();
  expect(lackOf([suited])).toEqual({
    why: expect.stringContaining(suited.title),
    hint: expect.stringContaining(`ringside install ${suited.name}`),
  });
  mkdirSync(folderOf(suited), { recursive: true });
  expect(isInstalled(suited)).toBe(true);
  expect(lackOf([suited])).toBeUndefined();
});

it('names the platforms of what does not run here, and the Debian packages of missing programs', () => {
  const [need] = needs;
  const stray = { ...need!, platforms: ['plan9-mips'] };
  for (const lack of [lackOf([stray]), installLack(stray)]) expect(lack?.why).toContain('plan9-mips');
  const programs = [
    { command: 'no-such-program', debian: 'its-package' },
    { command: 'sh', debian: 'dash' },
  ];
  const suited = { ...need!, platforms: [`${process.platform}-${process.arch}`], programs };
  const lack = installLack(suited);
  expect(lack?.why).toContain('no-such-program');
  expect(lack?.hint).toMatch(/apt-get install its-package\.$/);
  expect(installLack({ ...suited, programs: programs.slice(1) })).toBeUndefined();
});

it('is asked for by targets as one of the list', () => {
  for (const { name, needs: ofTarget = [] } of targets)
    for (const need of ofTarget) expect(needs.includes(need), name).toBe(true);
});
