import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCompiler, placeholder, writeNative } from '../test/native-package.js';

const folder = mkdtempSync(join(tmpdir(), 'ringside-prebuilt-'));
afterAll(() => rmSync(folder, { recursive: true }));

const release = join(folder, 'native');
const packed = join(folder, 'packed');
const installed = join(folder, 'installed');
/** All programs that an installation finds: no compiler. */
const programs = join(folder, 'bin');

const run = (command: string, args: string[], { cwd = folder, ...env }: NodeJS.ProcessEnv = {}): string =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const pathOf = (program: string): string => run('sh', ['-c', `command -v ${program}`]).trim();

interface Manifest {
  name: string;
  version: string;
  optionalDependencies?: Record<string, string>;
}

function manifestIn(tarball: string): Manifest {
  return JSON.parse(run('tar', ['-xOf', join(packed, tarball), 'package/package.json'])) as Manifest;
}

describe.skipIf(!hasCompiler)('the packages of a release', () => {
  beforeAll(() => {
    for (const path of [release, installed, programs]) mkdirSync(path);
    for (const program of ['node', 'npm', 'sh']) symlinkSync(pathOf(program), join(programs, program));
    writeNative(release);
    writeFileSync(join(folder, 'LICENSE'), 'MIT');
    run(process.execPath, [join(release, 'prebuilt.mjs'), packed]);
    run(process.execPath, [join(release, 'prebuilt.mjs'), packed, 'main']);
    run('npm', ['pack', '--pack-destination', folder, resolve('node_modules/node-api-headers')]);
    const [headers] = readdirSync(folder).filter((name) => name.startsWith('node-api-headers'));
    // The registry that npm can't reach here has the headers, too.
    const overrides = { 'node-api-headers': `file:../${headers}` };
    writeFileSync(join(installed, 'package.json'), JSON.stringify({ private: true, overrides }));
  });

  it('are one for this platform, and one that names those of every platform', () => {
    const [main, platform, ...others] = readdirSync(packed)
      .map(manifestIn)
      .sort((one, other) => one.name.length - other.name.length);
    expect(others).toEqual([]);
    const named = Object.entries(main?.optionalDependencies ?? {});
    expect(named).toHaveLength(4);
    expect(named).toContainEqual([platform?.name, platform?.version]);
    expect(main?.version).toBe(platform?.version);
  });

  it('are not packed with an addon that does not load here', () => {
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    writeNative(broken);
    const source = `unsigned lacked(void);\n${placeholder(42).replace('42', 'lacked()')}`;
    writeFileSync(join(broken, 'src/wire.c'), source);
    const output = join(folder, 'refused');
    expect(() => run(process.execPath, [join(broken, 'prebuilt.mjs'), output])).toThrow('lacked');
    expect(readdirSync(output)).toEqual([]);
  });

  it('are not packed with an addon for another C library than that of Node', () => {
    const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header;
    const other = glibcVersionRuntime === undefined ? 'libc.so.6' : 'libc.musl-x86_64.so.1';
    const [library, CC, output] = [join(folder, 'other.so'), join(folder, 'other-cc'), join(folder, 'other')];
    const compiler = process.env.CC || 'cc';
    run(compiler, ['-shared', '-x', 'c', '/dev/null', `-Wl,-soname,${other}`, '-o', library]);
    writeFileSync(CC, `#!/bin/sh\nexec ${compiler} "$@" -nostdlib -Wl,--no-as-needed ${library}`, { mode: 0o755 });
    expect(() => run(process.execPath, [join(release, 'prebuilt.mjs'), output], { CC })).toThrow(
      'linked the addon with',
    );
    expect(readdirSync(output)).toEqual([]);
  });

  it('install without a compiler and a network, and load', () => {
    const tarballs = readdirSync(packed).map((name) => join(packed, name));
    expect(() => run('cc', ['--version'], { PATH: programs })).toThrow('ENOENT');
    run('npm', ['install', '--offline', ...tarballs], { cwd: installed, PATH: programs });
    const own = join(installed, 'node_modules/ringside-native');
    expect(existsSync(join(own, 'build'))).toBe(false);
    const script = `console.log(JSON.stringify((await import('ringside-native')).loadAddon()))`;
    const loaded = run(process.execPath, ['--input-type=module', '--eval', script], { cwd: installed });
    expect(JSON.parse(loaded)).toEqual({ addon: { answer: 42 } });
  });
});
