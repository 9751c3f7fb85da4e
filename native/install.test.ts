import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copiedNative, hasCompiler, placeholder } from '../test/native-package.js';

const missing = { CC: 'no-such-compiler' };

describe.skipIf(!hasCompiler)('the install script, with a C compiler', () => {
  it('builds an addon, again only after a source changed, and leaves nothing half built', () => {
    const { folder, install, load } = copiedNative();
    expect(install()).toEqual({ status: 0, lines: [] });
    expect(load()).toEqual({ addon: { answer: 42 } });
    const addon = join(folder, 'build/wire.node');
    const source = join(folder, 'src/wire.c');
    const { ino } = statSync(addon);
    install();
    expect(statSync(addon).ino).toBe(ino);
    writeFileSync(source, placeholder(43));
    const later = Date.now() / 1000 + 7;
    utimesSync(source, later, later);
    install();
    expect(load()).toEqual({ addon: { answer: 43 } });
    install('--check');
    expect(readdirSync(join(folder, 'build'))).toEqual(['wire.node']);
  });

  it('finds warnings and errors where it checks, and does not install what fails to compile', () => {
    const { folder, install, load } = copiedNative();
    const source = join(folder, 'src/wire.c');
    expect(install('--check').status).toBe(0);
    writeFileSync(source, placeholder(42).replace('{', '{\n  int unused;'));
    expect(install('--check').status).toBe(1);
    expect(install().status).toBe(0);
    expect(load()).toHaveProperty('addon');
    writeFileSync(source, placeholder(42).replace('return', 'returns'));
    const later = Date.now() / 1000 + 7;
    utimesSync(source, later, later);
    expect(install('--check').status).toBe(1);
    const { status, lines } = install();
    expect([status, lines.length, existsSync(join(folder, 'build/wire.node'))]).toEqual([0, 1, false]);
    expect(load()).toHaveProperty('lack');
  });

  it('builds an addon that does not load where it lacks a function', () => {
    const { folder, install, load } = copiedNative();
    const source = placeholder(42).replace('  napi_value', '  void lacked(void);\n  if (env == NULL) lacked();\n$&');
    writeFileSync(join(folder, 'src/wire.c'), source);
    expect(install()).toEqual({ status: 0, lines: [] });
    expect(load()).toEqual({ lack: expect.stringContaining('lacked') });
  });
});

describe('the install script, without a C compiler', () => {
  it('ends well, and says in a line why, which the loader repeats', () => {
    const { folder, install, load } = copiedNative(missing);
    const { status, lines } = install();
    expect([status, lines.length]).toEqual([0, 1]);
    const lack = readFileSync(join(folder, 'build/lack.txt'), 'utf8');
    expect(lines[0]).toContain(lack);
    expect(lack).toContain(process.platform === 'linux' ? missing.CC : process.platform);
    expect(load()).toEqual({ lack });
    expect(install('--check').status).toBe(0);
  });

  it.skipIf(!hasCompiler)('takes the addon away that an old source left, and back once there is a compiler', () => {
    const { folder, install, load } = copiedNative();
    install();
    const later = Date.now() / 1000 + 7;
    utimesSync(join(folder, 'src/wire.c'), later, later);
    copiedNative(missing, folder).install();
    expect(load()).toHaveProperty('lack');
    install();
    expect(load()).toEqual({ addon: { answer: 42 } });
  });
});

describe('the loader', () => {
  it('says so if the install script did not run', () =>
    expect(copiedNative().load()).toEqual({ lack: expect.any(String) }));

  it.each(['glibc', 'musl'])('takes the package with %s only where Node runs on it', (libc) => {
    const { folder, load } = copiedNative();
    const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header;
    const isHere = (glibcVersionRuntime === undefined) === (libc === 'musl');
    const own = join(folder, `node_modules/ringside-native-${process.platform}-${process.arch}-${libc}`);
    mkdirSync(own);
    writeFileSync(join(own, 'index.js'), 'module.exports = 42');
    expect(load()).toEqual(isHere ? { addon: 42 } : { lack: expect.any(String) });
  });

  it('says so of a file that is no addon', () => {
    const { folder, load } = copiedNative();
    mkdirSync(join(folder, 'build'));
    writeFileSync(join(folder, 'build/wire.node'), 'not an addon');
    expect(load()).toEqual({ lack: expect.any(String) });
  });
});

it('has the version of the package that depends on it', () => {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
  const { version, optionalDependencies } = read('package.json');
  expect([read('native/package.json').version, optionalDependencies['ringside-native']]).toEqual([version, version]);
});
