import { join } from 'node:path';
import { erlangServer, serverFolder } from './filling.js';
import type { FilledNeed, SystemNeed, SystemPart } from './need.js';

const platforms = ['linux-x64', 'linux-arm64'];
const ruby: SystemPart = { name: 'ruby', debian: 'ruby' };

/** A Redis that a target starts, and that ends with it. */
export const ownRedis: readonly SystemPart[] = [
  { name: 'redis-server', debian: 'redis-server' },
  { name: 'setpriv', debian: 'util-linux' },
];

/** A server of `servers/cowboy`. No Debian package has only Cowboy, but that of RabbitMQ contains it. */
export const cowboyNeed: FilledNeed = {
  name: 'cowboy',
  title: 'Cowboy 2.8.0, of Debian 12',
  filling: erlangServer('cowboy', ['cowboy', 'cowlib', 'ranch', 'jsx'], '2.8.0'),
  downloadBytes: 14_900_000,
  diskBytes: 1_900_000,
  buildBytes: 16_800_000,
  platforms,
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

/** Returns the command that runs the server in the need's folder. Without `+Bd`, SIGINT would start a dialogue. */
export function cowboyIn(folder: string): readonly [string, ...string[]] {
  const vm = ['-noshell', '+Bd', '-boot', 'no_dot_erlang', '-env', 'ERL_CRASH_DUMP_BYTES', '0'];
  const files = ['-env', 'ERL_LIBS', join(folder, 'lib'), '-pa', join(folder, 'ebin')];
  return ['erl', ...vm, ...files, '-config', join(serverFolder('cowboy'), 'sys'), '-s', 'ringside', '-extra'];
}

/** The system parts for the server of `servers/em-websocket`. */
export const emWebsocketNeed: SystemNeed = {
  name: 'em-websocket',
  title: 'em-websocket on EventMachine, in Ruby',
  platforms,
  system: [
    ruby,
    { name: 'em-websocket', debian: 'ruby-em-websocket', proof: ['ruby', '-r', 'em-websocket', '-e', ''] },
  ],
};

/** Rails, Puma and Redis as Debian has them. */
export const railsNeed: SystemNeed = {
  name: 'rails',
  title: 'Ruby, Rails Action Cable, Puma, Redis',
  platforms,
  system: [
    ruby,
    {
      name: 'actioncable, railties, puma, redis of Ruby',
      debian: 'ruby-actioncable ruby-railties puma ruby-redis',
      proof: ['ruby', '-e', 'gem "actioncable"; gem "railties"; gem "puma"; gem "redis"'],
    },
    ...ownRedis,
  ],
};
