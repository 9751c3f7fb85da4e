import { asRoot, type Filling, type SystemPart } from './need.js';

const linker = { name: 'cc', debian: 'gcc libc6-dev' };

/** Installs exactly the lock file of `servers/needs/NAME`, checked by npm, without scripts of packages. */
export function npmPackages(name: string): Filling {
  const flags = '--ignore-scripts --legacy-peer-deps --omit=dev --no-audit --no-fund --prefix "$PWD"';
  // The Node that runs Ringside goes first: packages choose binaries by it.
  const npm = `npm=$(command -v npm) && PATH="$(dirname "$NODE"):$PATH" "$npm" ci ${flags}`;
  return {
    source: `needs/${name}`,
    script: `cp "$SOURCE"/package*.json . && ${npm}`,
    system: [{ name: 'npm', debian: 'npm' }],
  };
}

/**
 * Builds the program of `servers/NAME` with Go, which checks all modules by `go.sum`. The program has that name. `go`
 * is the oldest version that can, if Debian's is too old.
 */
export function goProgram(name: string, go?: string): Filling {
  // Without these tags, the net package asks Go 1.19 for a C compiler.
  const flags = '-mod=readonly -trimpath -buildvcs=false -tags=netgo,osusergo';
  return {
    source: name,
    script: `folder=$PWD && cd "$SOURCE" && go build ${flags} -o "$folder/${name}" .`,
    system: [go === undefined ? { name: 'go', debian: 'golang-go' } : goOf(go)],
  };
}

function goOf(atLeast: string): SystemPart {
  return {
    name: `go ${atLeast} or newer`,
    advice: 'Take Go from https://go.dev/dl.',
    check: isAtLeast(atLeast, 'go env GOVERSION | tr -d go'),
  };
}

/** Takes a published Python wheel as it is. pip checks it by `hashes`, one for each platform. */
export function wheel(pin: string, hashes: readonly string[]): Filling {
  const line = [pin, ...hashes.map((hash) => `--hash=sha256:${hash}`)].join(' ');
  const flags = '--require-hashes --no-deps --only-binary=:all: --no-compile --root-user-action=ignore --target "$PWD"';
  return {
    script: `echo '${line}' > pins && python3 -m pip install --quiet ${flags} -r pins`,
    system: [{ name: 'pip of Python', debian: 'python3-pip', check: 'python3 -m pip --version' }],
  };
}

/** Builds `servers/NAME` with Cargo from its `Cargo.lock`, at `bin/`. `rust` is the oldest version that can. */
export function cargoProgram(name: string, rust: string): Filling {
  return { source: name, ...cargoInstall('--path "$SOURCE"', [cargo(rust)]) };
}

/** Builds a published program with Cargo from its published lock file, at `bin/`. `what` has its version and flags. */
export function crate(what: string, rust: string, system: readonly SystemPart[]): Filling {
  return cargoInstall(what, [cargo(rust), ...system]);
}

function cargoInstall(what: string, system: readonly SystemPart[]): Filling {
  const script = `cargo install ${what} --locked --root "$PWD" --target-dir "$PWD/target" && rm -rf target`;
  return { script, system: [...system, linker] };
}

/** Returns the part with Cargo. Debian 12 has a current Rust, which it builds browsers with, beside its old `cargo`. */
function cargo(atLeast: string): SystemPart {
  return {
    name: `cargo ${atLeast} or newer`,
    debian: 'cargo-web',
    advice: 'Or take Rust from https://rustup.rs.',
    check: isAtLeast(atLeast, "cargo --version | cut -d ' ' -f 2"),
  };
}

function isAtLeast(version: string, command: string): string {
  return `printf '%s\\n' ${version} "$(${command})" | sort -CV`;
}

/** The Debian package that has Erlang libraries among its plugins. */
const plugged = 'rabbitmq-server';

/**
 * Takes libraries from the plugins of RabbitMQ's Debian package, at `lib/NAME-VERSION`. Compiles the modules of
 * `servers/NAME` with them, at `ebin`.
 */
export function erlangServer(name: string, libraries: readonly string[]): Filling {
  const wanted = libraries.map((library) => `"*/plugins/${library}-*"`).join(' ');
  const commands = [
    'mkdir packages lib ebin',
    `(cd packages && apt-get download ${plugged})`,
    `dpkg --fsys-tarfile packages/*.deb | tar -xC lib --transform "s,.*/plugins/,," --wildcards ${wanted}`,
    'ERL_LIBS=lib erlc -o ebin "$SOURCE"/*.erl',
    'rm -r packages',
  ];
  // Fresh images of Debian have no lists.
  const apt = {
    name: 'apt-get and its lists',
    advice: `On Debian, or a system made of it: ${asRoot('apt-get update')}.`,
    check: `apt-cache show ${plugged}`,
  };
  return { source: name, script: commands.join(' && '), system: [apt, { name: 'erlc', debian: 'erlang-base' }] };
}
