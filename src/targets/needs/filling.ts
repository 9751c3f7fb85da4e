import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { packageFile } from '../../units/package-files.js';
import { asRoot } from './lack.js';
import type { Filling, SystemPart } from './need.js';

const npm = { name: 'npm', debian: 'npm' };
const go = { name: 'go', debian: 'golang-go' };
const linker = { name: 'cc', debian: 'gcc libc6-dev' };

/** The Debian package that has Erlang libraries among its plugins. */
const plugged = 'rabbitmq-server';
/** Fresh images of Debian have no lists. */
const apt: SystemPart = {
  name: 'apt-get and its lists',
  advice: `On Debian, or a system made of it: ${asRoot('apt-get update')}.`,
  proof: ['apt-cache', 'show', plugged],
};

/** Returns the part with Cargo. Debian 12 has a current Rust, which it builds browsers with, beside its old `cargo`. */
function cargo(atLeast: string): SystemPart {
  return { name: 'cargo', debian: 'cargo-web', advice: 'Or take Rust from https://rustup.rs.', atLeast };
}

/** Returns a folder in `servers/`, for servers in other languages and the sources of `ringside install`. */
export function serverFolder(name: string): string {
  return packageFile('servers', name);
}

/** Installs exactly the lock file of `servers/needs/NAME`, checked by npm, without scripts of packages. */
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

/** Builds the program of `servers/NAME` with Go, which checks all modules by `go.sum`. The program has that name. */
export function goProgram(name: string): Filling {
  const source = serverFolder(name);
  // Without these tags, the net package asks Go 1.19 for a C compiler.
  const args = ['-mod=readonly', '-trimpath', '-buildvcs=false', '-tags=netgo,osusergo'];
  return {
    pins: () => sourcesIn(source),
    system: [go],
    command: (folder) => ({ words: ['go', 'build', ...args, '-o', join(folder, name), '.'], directory: source }),
  };
}

/** Builds `servers/NAME` with Cargo from its `Cargo.lock`, at `bin/`. `rust` is the oldest version that can. */
export function cargoProgram(name: string, rust: string): Filling {
  const source = serverFolder(name);
  return cargoInstall(() => sourcesIn(source), ['--path', source], [cargo(rust)]);
}

/** Describes a published program and the tools that build it. */
export interface Crate {
  name: string;
  version: string;
  flags: readonly string[];
  /** The oldest Rust that can build it. */
  rust: string;
  system: readonly SystemPart[];
}

/** Builds a published program with Cargo from its published lock file, at `bin/`. */
export function crate({ name, version, flags, rust, system }: Crate): Filling {
  const args = [`${name}@${version}`, ...flags];
  return cargoInstall(() => args, args, [cargo(rust), ...system]);
}

function cargoInstall(pins: Filling['pins'], args: readonly string[], system: readonly SystemPart[]): Filling {
  const waste = 'target';
  return {
    pins,
    system: [...system, linker],
    command: (folder) => ({
      words: ['cargo', 'install', ...args, '--locked', '--root', folder, '--target-dir', join(folder, waste)],
    }),
    waste,
  };
}

/**
 * Takes libraries from the plugins of RabbitMQ's Debian package, at `lib/NAME-VERSION`. Compiles the modules of
 * `servers/NAME` with them, at `ebin`. `version` is the one that the proof expects.
 */
export function erlangServer(name: string, libraries: readonly string[], version: string): Filling {
  const source = serverFolder(name);
  const waste = 'packages';
  const wanted = libraries.map((library) => `"*/plugins/${library}-*"`).join(' ');
  const commands = [
    `mkdir ${waste} lib ebin`,
    `(cd ${waste}; apt-get download ${plugged})`,
    `dpkg --fsys-tarfile ${waste}/*.deb | tar -xC lib --transform "s,.*/plugins/,," --wildcards ${wanted}`,
    'ERL_LIBS=lib erlc -o ebin "$1"/*.erl',
  ];
  return {
    pins: () => [...libraries, version, ...sourcesIn(source)],
    system: [apt, { name: 'erlc', debian: 'erlang-base' }],
    command: (folder) => ({ words: ['sh', '-ec', commands.join('; '), 'sh', source], directory: folder }),
    waste,
  };
}

/** Returns true if a path below `servers/` is neither TypeScript nor a compiler's output. */
function isForeignSource(path: string): boolean {
  return !/\.ts$|README\.md$|(^|\/)target(\/|$)/.test(path);
}

/** Returns names and contents of all sources of a server in another language. */
function sourcesIn(folder: string): (string | Buffer)[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).filter(isForeignSource);
  return paths.sort().flatMap((path) => [path, readFileSync(join(folder, path))]);
}
