import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { targets } from '../list.js';
import { cargoProgram, goProgram } from './fillings.js';
import { bunNeed, needByName, needs } from './list.js';
import {
  type FilledNeed,
  folderOf,
  homeVariable,
  installLack,
  isFilled,
  isInstalled,
  lackOf,
  type Need,
  serverFolder,
} from './need.js';

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

const filled = needs.filter(isFilled);
const ofNpm = filled.filter(({ filling }) => filling.source?.startsWith('needs/'));
/** One that could be installed here. */
const suited: FilledNeed = { ...bunNeed, platforms: [`${process.platform}-${process.arch}`] };

it('has a folder with pins for each need from npm, and no other, and finds each by its name', () => {
  expect(readdirSync(serverFolder('needs')).sort()).toEqual(ofNpm.map(({ name }) => name).sort());
  for (const { name } of needs) expect(needByName(name)).toMatchObject({ name });
  expect(new Set(needs.map(({ name }) => name)).size).toBe(needs.length);
  expect(needByName('ws')).toBeUndefined();
});

it.each(ofNpm)('pins $name to versions and contents, and to no registry', ({ filling }) => {
  const read = (file: string) => JSON.parse(readFileSync(join(serverFolder(filling.source!), file), 'utf8'));
  const { '': root, ...packages } = read('package-lock.json').packages as Record<string, Pinned>;
  const { dependencies = {}, optionalDependencies = {} } = read('package.json') as Record<
    string,
    Record<string, string>
  >;
  for (const version of Object.values({ ...dependencies, ...optionalDependencies }))
    expect(version).toMatch(/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+$/);
  expect(root?.dependencies).toEqual(dependencies);
  for (const [path, { version, resolved, integrity, optional }] of Object.entries(packages)) {
    expect(version, path).toMatch(/^\d+\.\d+\.\d+/);
    expect(resolved, path).toBeUndefined();
    // The contents of those for other platforms are not known everywhere; npm never installs them without.
    if (optional !== true) expect(integrity, path).toMatch(/^sha512-/);
  }
});

it.each(filled)('keeps $name in a folder of its own under the home, of the version in its title', (need) => {
  expect(folderOf(need).startsWith(join(home, 'needs', `${need.name}-`))).toBe(true);
  expect(need.title).toContain(need.version);
});

it('names the folder after all that pins it', () => {
  const pinnedTo = (script: string, source?: string) =>
    folderOf({ ...suited, filling: { script, system: [], ...(source && { source }) } });
  expect(pinnedTo('a', 'gorilla')).toBe(pinnedTo('a', 'gorilla'));
  const others = [pinnedTo('a'), pinnedTo('b'), pinnedTo('a', 'gorilla'), pinnedTo('a', 'cowboy')];
  expect(new Set(others).size).toBe(4);
});

it('names what is missing until its folder is there', () => {
  expect(lackOf([])).toBeUndefined();
  expect(lackOf([suited])).toEqual({
    why: expect.stringContaining(suited.title),
    hint: expect.stringContaining(`ringside install ${suited.name}`),
  });
  mkdirSync(folderOf(suited), { recursive: true });
  expect(isInstalled(suited)).toBe(true);
  expect(lackOf([suited])).toBeUndefined();
});

it('names the Debian packages of all that the system lacks in one command, and what Debian does not have', () => {
  const system = [
    { name: 'no-such-program', debian: 'its-package' },
    { name: 'sh', debian: 'dash' },
    { name: 'no such library', debian: 'its-library its-package', check: 'false' },
    { name: 'such a library', debian: 'other-library', check: 'true' },
    { name: 'no-newer-program', advice: 'Look elsewhere.' },
  ];
  const { name, title, platforms } = suited;
  const ofSystem: Need = { name, title, platforms, system };
  for (const lack of [lackOf([ofSystem]), installLack([ofSystem])]) {
    expect(lack?.why).toBe('no-such-program, no such library, no-newer-program: not found.');
    expect(lack?.hint).toMatch(/apt-get install --no-install-recommends its-package its-library\. Look elsewhere\.$/);
  }
  expect(isInstalled(ofSystem)).toBe(true);
  expect(lackOf([{ ...ofSystem, system: [system[1]!, system[3]!] }])).toBeUndefined();
});

const compilers = [
  {
    name: 'cargo',
    says: 'cargo 1.100.2 (5c0d6f1b7 2026-11-01)',
    fill: cargoProgram,
    source: 'socketioxide',
    hint: 'cargo-web',
  },
  { name: 'go', says: 'go1.100.2', fill: goProgram, source: 'centrifuge', hint: 'https://go.dev' },
];

describe.each(compilers)('$name', ({ name, says, fill, source, hint }) => {
  it.each([
    ['0.1', true],
    ['1.94', true],
    ['1.100.1', true],
    ['1.101', false],
  ])('is asked for version %s or a newer one', (atLeast, isEnough) => {
    mkdirSync(join(home, 'bin'));
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\necho "${says}"\n`);
    chmodSync(join(home, 'bin', name), 0o755);
    vi.stubEnv('PATH', `${join(home, 'bin')}:${process.env.PATH}`);
    const [compiler] = fill(source, atLeast).system;
    const need: Need = { name: suited.name, title: suited.title, platforms: suited.platforms, system: [compiler!] };
    if (isEnough) return expect(lackOf([need])).toBeUndefined();
    expect(lackOf([need])?.why).toContain(`${name} ${atLeast} or newer`);
    expect(lackOf([need])?.hint).toContain(hint);
  });
});

it('asks for the programs that install only where it is installed', () => {
  const filling = { ...suited.filling, system: [{ name: 'no-such-program', debian: 'its-package' }] };
  const need = { ...suited, filling, system: [{ name: 'no-such-server', debian: 'its-server' }] };
  expect(installLack([need])?.hint).toContain('its-server its-package');
  expect(lackOf([need])?.hint).toMatch(/its-server\. .*ringside install/);
  expect(lackOf([need])?.hint).not.toContain('its-package');
});

it('is asked for by targets as one of the list', () => {
  for (const { name, needs: ofTarget = [] } of targets)
    for (const need of ofTarget) expect(needs.includes(need), name).toBe(true);
});
