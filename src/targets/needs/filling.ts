import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Filling, SystemPart } from './need.js';

const npm = { name: 'npm', debian: 'npm' };
const go = { name: 'go', debian: 'golang-go' };
const cargo = { name: 'cargo', advice: 'Install a current Rust: https://rustup.rs.' };
const linker = { name: 'cc', debian: 'gcc libc6-dev' };
const apt = { name: 'apt-get', advice: 'Use Debian, or a system made of it.' };

/** The folder of that name in `servers/`. */
export function serverFolder(name: string): string {
  return fileURLToPath(new URL(`../../../servers/${name}/`, import.meta.url));
}

/** Exactly what the lock file of `servers/needs/NAME` names, checked by npm, without scripts of packages. */
export function npmPackages(name: string): Filling {
  const copies = serverFolder(`needs/${name}`);
  const args = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--omit=dev', '--no-audit', '--no-fund'];
  return {
    copies,
    pins: () => [readFileSync(join(copies, 'package-lock.json'))],
    system: [npm],
    command: (folder) => ({
      words: ['npm', ...args, '--prefix', folder],
      // The Node that runs Ringside goes first: packages choose binaries by it.
      environment: { PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter) },
    }),
  };
}

/** The program of `servers/NAME`, built by Go, which checks all modules by `go.sum`. It gets that name. */
export function goProgram(name: string): Filling {
  const source = serverFolder(name);
  const args = ['-mod=readonly', '-trimpath', '-buildvcs=false'];
  return {
    pins: () => sourcesIn(source),
    system: [go],
    command: (folder) => ({ words: ['go', 'build', ...args, '-o', join(folder, name), '.'], directory: source }),
  };
}

/** The program of `servers/NAME`, built by Cargo from its `Cargo.lock`, at `bin/`. */
export function cargoProgram(name: string): Filling {
  const source = serverFolder(name);
  return cargoInstall(() => sourcesIn(source), ['--path', source]);
}

/** A published program, built by Cargo from the lock file that it was published with, at `bin/`. */
export function crate(name: string, version: string, flags: readonly string[], system: readonly SystemPart[]): Filling {
  const args = [`${name}@${version}`, ...flags];
  return cargoInstall(() => args, args, system);
}

function cargoInstall(pins: Filling['pins'], args: readonly string[], system: readonly SystemPart[] = []): Filling {
  const waste = 'target';
  return {
    pins,
    system: [cargo, linker, ...system],
    command: (folder) => ({
      words: ['cargo', 'install', ...args, '--locked', '--root', folder, '--target-dir', join(folder, waste)],
    }),
    waste,
  };
}

/**
 * Libraries that RabbitMQ's Debian package has among its plugins, at `lib/NAME-VERSION`, and the modules of
 * `servers/NAME` compiled with them, at `ebin`. `version` is what the proof asks for.
 */
export function erlangServer(name: string, libraries: readonly string[], version: string): Filling {
  const source = serverFolder(name);
  const waste = 'packages';
  const wanted = libraries.map((library) => `"*/plugins/${library}-*"`).join(' ');
  const commands = [
    `mkdir ${waste} lib ebin`,
    `(cd ${waste}; apt-get download rabbitmq-server)`,
    `dpkg --fsys-tarfile ${waste}/*.deb | tar -xC lib --transform "s,.*/plugins/,," --wildcards ${wanted}`,
    'ERL_LIBS=lib erlc -o ebin "$1"*.erl',
  ];
  return {
    pins: () => [...libraries, version, ...sourcesIn(source)],
    system: [apt, { name: 'erlc', debian: 'erlang-base' }],
    command: (folder) => ({ words: ['sh', '-ec', commands.join('; '), 'sh', source], directory: folder }),
    waste,
  };
}

/** Whether a path below `servers/` is neither TypeScript nor made by a compiler. */
export function isForeignSource(path: string): boolean {
  return !/\.ts$|README\.md$|(^|\/)target(\/|$)/.test(path);
}

/** Names and contents of all sources of a server in another language. */
function sourcesIn(folder: string): (string | Buffer)[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).filter(isForeignSource);
  return paths.sort().flatMap((path) => [path, readFileSync(join(folder, path))]);
}
