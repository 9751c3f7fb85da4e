import { expect } from 'vitest';

const railsSettings = {
  adapter: 'redis',
  threads: '5 (config/puma.rb of a new Rails application)',
  log_level: 'warn',
  'action_cable.disable_request_forgery_protection': true,
  'redis-server': "--save ''",
};
const { 'redis-server': _, ...withoutRedis } = railsSettings;
const railsOnAnycable = {
  ...{ ...withoutRedis, adapter: 'any_cable' },
  'anycable-go': expect.stringContaining('--rpc_host=URL/_anycable '),
};

const gorillaSettings = { pingPeriodMs: 54_000, pongWaitMs: 60_000, writeWaitMs: 10_000, sendMessages: 256 };
const cowboySettings = { idle_timeout: 'infinity', max_connections: 'infinity' };

/** Every setting of a target of servers/ that is not its library’s default, in the order of the list. */
export const settingsOf: Record<string, object> = {
  ws: {},
  'ws-http2': {},
  uws: { listenOptions: 'LIBUS_LISTEN_EXCLUSIVE_PORT' },
  socketio: {},
  'socketio-csr': { connectionStateRecovery: {} },
  'socketio-uws': { listenOptions: 'LIBUS_LISTEN_EXCLUSIVE_PORT' },
  'socketio-bun': {},
  'socketio-bun-engine': { maxRequestBodySize: 4_194_304 },
  'socketio-redis': { processes: 2, balancer: expect.any(String), 'redis-server': { save: '', appendonly: 'no' } },
  'socketio-redis-streams': {
    connectionStateRecovery: {},
    processes: 2,
    balancer: expect.any(String),
    'redis-server': { save: '', appendonly: 'no' },
  },
  bun: {},
  gorilla: gorillaSettings,
  socketioxide: {},
  cowboy: cowboySettings,
  'em-websocket': {},
  'ws-shootout': {},
  'uws-shootout': { listenOptions: 'LIBUS_LISTEN_EXCLUSIVE_PORT' },
  'ws-shootout-cable': {},
  'gorilla-shootout': gorillaSettings,
  'cowboy-shootout': cowboySettings,
  'em-websocket-shootout': {},
  'action-cable': railsSettings,
  'action-cable-async': { ...withoutRedis, adapter: 'async' },
  'action-cable-anycable': railsOnAnycable,
  'action-cable-shootout': railsSettings,
  'action-cable-anycable-shootout': railsOnAnycable,
  metronome: {},
  'metronome-socketio': {},
  'metronome-anycable': {},
  'metronome-pusher': {},
  'metronome-shootout': {},
};

/** How many versions there are, where it is not two: that of the runtime and that of the library. */
export const librariesOf: Record<string, number> = {
  bun: 1,
  'socketio-uws': 3,
  'socketio-bun-engine': 3,
  socketioxide: 3,
  'socketio-redis': 5,
  'socketio-redis-streams': 5,
  ...{ cowboy: 3, 'cowboy-shootout': 3, 'em-websocket': 3, 'em-websocket-shootout': 3 },
  ...{ 'action-cable': 5, 'action-cable-shootout': 5, 'action-cable-async': 3 },
  ...{ 'action-cable-anycable': 4, 'action-cable-anycable-shootout': 4 },
};

/** What the servers that no Node runs have as the name of their language or runtime, by their need. */
export const languageOf: Record<string, string> = {
  bun: 'bun',
  gorilla: 'go',
  socketioxide: 'rust',
  cowboy: 'erlang',
  'em-websocket': 'ruby',
  rails: 'ruby',
};
