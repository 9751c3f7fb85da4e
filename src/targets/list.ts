import { z } from 'zod';
import {
  actionCableTargets,
  cowboy,
  cowboyShootout,
  emWebsocket,
  emWebsocketShootout,
  gorilla,
  gorillaShootout,
  socketioxide,
} from './foreign.js';
import { type ManagedServer, managedServer } from './launch/managed-server.js';
import { metronomeOptions } from './metronome/orders.js';
import { bunRuntime, flowNeeds, redisNeed, runtimes } from './needs/list.js';
import type { Need } from './needs/need.js';
import { anycablePro, anycablePusher, anycableTarget, pusherApp, sockudo, soketi } from './published-servers.js';
import type { Target } from './target.js';

/** Options of servers that can agree to permessage-deflate. Their libraries do not by default. */
const options = z.strictObject({
  compression: z.enum(['off', 'on']).optional().meta({ flag: 'compression', help: 'agree to permessage-deflate' }),
});

const ws = { folder: 'ws', summary: 'ws 8 on node:http', options };
const uws = {
  folder: 'uws',
  summary: 'uWebSockets.js topics',
  maxProcesses: 64,
  takesPackages: true,
  options,
  hint: 'uWebSockets.js has binaries for Node 20 and 22 on glibc: run npm ci there, without --omit=optional.',
} as const;
const wsJson = { protocol: 'ws-json', wsPath: '/ws' };
const socketio = { protocol: 'socketio', wsPath: '/socket.io/?EIO=4&transport=websocket' };
const shootout = { protocol: 'shootout', wsPath: '/shootout' };
const socketioRedis = {
  ...socketio,
  folder: 'socketio-redis',
  publishesInProcess: true,
  packages: redisNeed,
  minProcesses: 2,
  maxProcesses: 64,
  canRevive: true,
  // The typing game has all players in one process.
  lacks: ['play'],
} as const;
const socketioServer = { ...socketio, folder: 'socketio', publishesInProcess: true } as const;

function metronome(name: string, ways: Pick<ManagedServer, 'protocol' | 'lacks' | 'wsPath' | 'publishPath'>): Target {
  const { protocol } = ways;
  return managedServer({
    ...ways,
    name,
    summary: `known truth over ${protocol}: delays, drops, duplicates and stalls on command, and keeps a record of it`,
    folder: 'metronome',
    flags: protocol === 'ws-json' ? [] : ['--protocol', protocol],
    options: metronomeOptions,
    isKnownTruth: true,
  });
}

/** Every target that can be named, in the order in which scoreboards show them. */
export const targets: readonly Target[] = [
  managedServer({ ...ws, ...wsJson, name: 'ws', publishesInProcess: true }),
  managedServer({
    ...{ ...ws, ...wsJson, name: 'ws-http2', flags: ['--http2'] },
    summary: 'ws 8 on node:http2, which takes HTTP/1.1, too',
  }),
  managedServer({ ...uws, ...wsJson, name: 'uws', publishesInProcess: true, canRevive: true }),
  managedServer({ ...socketioServer, name: 'socketio', summary: 'Socket.IO 4 on node:http' }),
  managedServer({
    ...socketioServer,
    name: 'socketio-csr',
    summary: 'Socket.IO 4 with in-memory connection state recovery',
    flags: ['--csr'],
  }),
  managedServer({
    ...socketioServer,
    folder: 'socketio-uws',
    name: 'socketio-uws',
    summary: 'Socket.IO 4 on uWebSockets.js',
    takesPackages: true,
    hint: uws.hint,
  }),
  managedServer({
    ...socketioServer,
    name: 'socketio-bun',
    summary: "Socket.IO 4 on Bun's node:http and ws",
    runtime: bunRuntime,
  }),
  managedServer({
    ...socketioServer,
    folder: 'socketio-bun-engine',
    name: 'socketio-bun-engine',
    summary: 'Socket.IO 4 on @socket.io/bun-engine',
    runtime: bunRuntime,
    takesPackages: true,
  }),
  managedServer({
    ...socketioRedis,
    name: 'socketio-redis',
    summary: 'Socket.IO 4, several processes over Redis Pub/Sub',
  }),
  managedServer({
    ...socketioRedis,
    name: 'socketio-redis-streams',
    summary: 'Socket.IO 4, several processes over Redis Streams, with connection state recovery',
    flags: ['--streams'],
  }),
  managedServer({
    ...wsJson,
    folder: 'bun',
    name: 'bun',
    summary: "Bun's own WebSocket server and topics",
    publishesInProcess: true,
    runtime: bunRuntime,
  }),
  gorilla,
  socketioxide,
  cowboy,
  emWebsocket,
  anycableTarget,
  anycablePro,
  anycablePusher,
  soketi,
  sockudo,
  managedServer({
    ...ws,
    ...shootout,
    name: 'ws-shootout',
    summary: `${ws.summary}, the messages of websocket-shootout`,
  }),
  managedServer({
    ...uws,
    ...shootout,
    name: 'uws-shootout',
    summary: `${uws.summary}, the messages of websocket-shootout`,
  }),
  managedServer({
    ...ws,
    name: 'ws-shootout-cable',
    summary: `${ws.summary}, websocket-shootout over Action Cable`,
    protocol: 'shootout-cable',
    wsPath: '/cable',
  }),
  gorillaShootout,
  cowboyShootout,
  emWebsocketShootout,
  ...actionCableTargets,
  metronome('metronome', wsJson),
  metronome('metronome-socketio', { ...socketio, lacks: ['play'] }),
  metronome('metronome-anycable', { protocol: 'anycable', wsPath: '/cable' }),
  metronome('metronome-pusher', { ...pusherApp, protocol: 'pusher' }),
  metronome('metronome-shootout', shootout),
];

/** Returns the application in front of a target, to which it publishes at `publishUrl`. No client connects to it. */
export function application(publishUrl: string): Target {
  return managedServer({
    name: 'application',
    summary: 'an application that hands publishes on to a target',
    protocol: 'none',
    folder: 'application',
    flags: ['--publish-url', publishUrl],
    wsPath: '/',
  });
}

export function targetByName(name: string): Target | undefined {
  return targets.find((target) => target.name === name);
}

/** Returns the users of a need, for readers: targets, the option that runs others on it, and flows. */
export function needUsers(need: Need): string[] {
  return [
    ...targets.filter((target) => target.needs?.includes(need)).map(({ name }) => name),
    ...runtimes.filter((runtime) => runtime.need === need).map(({ name }) => `--target-runtime ${name}`),
    ...(flowNeeds.includes(need) ? ['flows'] : []),
  ];
}
