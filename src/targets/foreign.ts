import { join } from 'node:path';
import { type ForeignServer, foreignServer } from './launch/managed-server.js';
import { cowboyIn, cowboyNeed, emWebsocketNeed, gorillaNeed, railsNeed, socketioxideNeed } from './needs/list.js';
import { folderOf, joined, lackOf, serverFolder } from './needs/need.js';
import { findAnycable } from './published-servers.js';
import type { Target } from './target.js';

/** Returns the targets of a server with two endpoints: `/ws`, and the messages of websocket-shootout at `/shootout`. */
function withShootout(own: Pick<ForeignServer, 'name' | 'summary' | 'needs' | 'command'>): [Target, Target] {
  return [
    foreignServer({ ...own, protocol: 'ws-json', wsPath: '/ws' }),
    foreignServer({
      ...own,
      name: `${own.name}-shootout`,
      summary: `${own.summary}, the messages of websocket-shootout`,
      protocol: 'shootout',
      wsPath: '/shootout',
    }),
  ];
}

/** Go's best known WebSocket library, as in its chat example. */
export const [gorilla, gorillaShootout] = withShootout({
  name: 'gorilla',
  summary: 'gorilla/websocket 1.5 on net/http, in Go',
  needs: [gorillaNeed],
  command: () => [join(folderOf(gorillaNeed), 'gorilla')],
});

/** Erlang's best known HTTP server, with its WebSockets. */
export const [cowboy, cowboyShootout] = withShootout({
  name: 'cowboy',
  summary: 'Cowboy 2.8 and process groups, in Erlang',
  needs: [cowboyNeed],
  command: () => cowboyIn(folderOf(cowboyNeed)),
});

/** Ruby's WebSockets in the reactor of EventMachine. */
export const [emWebsocket, emWebsocketShootout] = withShootout({
  name: 'em-websocket',
  summary: 'em-websocket 0.5 on EventMachine, in Ruby',
  needs: [emWebsocketNeed],
  command: () => ['ruby', join(serverFolder('em-websocket'), 'main.rb')],
});

/** Socket.IO in Rust. */
export const socketioxide = foreignServer({
  name: 'socketioxide',
  summary: 'socketioxide 0.18 on axum: Socket.IO in Rust',
  protocol: 'socketio',
  // The typing game is in JavaScript.
  lacks: ['play'],
  wsPath: '/socket.io/?EIO=4&transport=websocket',
  needs: [socketioxideNeed],
  command: () => [join(folderOf(socketioxideNeed), 'bin/socketioxide')],
});

const overCable = { needs: [railsNeed], wsPath: '/cable' };
/** Puma's workers share a port, and reach each other's clients through Redis. */
const onPuma = { ...overCable, command: server, maxProcesses: 64, ports: 'shared' } as const;
const ofShootout = { protocol: 'shootout-cable', suffix: ', the messages of websocket-shootout' };

function server(...flags: string[]): [string, ...string[]] {
  return ['ruby', join(serverFolder('action-cable'), 'main.rb'), ...flags];
}

/** Returns the application behind `anycable-go`, which calls it over HTTP and takes its broadcasts. */
function behindAnycable(own: Pick<ForeignServer, 'name' | 'summary' | 'protocol'>): Target {
  const command = (): [string, ...string[]] => {
    const found = findAnycable();
    return server('--anycable', 'why' in found ? 'anycable-go' : found[0]);
  };
  const target = foreignServer({ ...overCable, ...own, command, ports: 'split' });
  return {
    ...target,
    async availability() {
      const binary = findAnycable();
      // Without the binary its command would fail, whatever else is there.
      if (!('why' in binary)) return target.availability();
      const ofRails = lackOf(overCable.needs);
      return { isAvailable: false, ...joined([...(ofRails ? [ofRails] : []), binary]) };
    },
  };
}

const summary = 'Rails Action Cable on Puma with Redis';
const anycableSummary = 'the Rails application of action-cable behind AnyCable, over HTTP RPC';

/** One Rails application in front of different adapters. */
export const actionCableTargets: readonly Target[] = [
  foreignServer({ ...onPuma, name: 'action-cable', summary, protocol: 'rails' }),
  foreignServer({
    ...overCable,
    name: 'action-cable-async',
    summary: 'Rails Action Cable on Puma with the async adapter, in one process',
    protocol: 'rails',
    command: server,
    flags: ['--adapter', 'async'],
  }),
  behindAnycable({ name: 'action-cable-anycable', summary: anycableSummary, protocol: 'rails-anycable' }),
  foreignServer({
    ...onPuma,
    name: 'action-cable-shootout',
    summary: summary + ofShootout.suffix,
    protocol: ofShootout.protocol,
  }),
  behindAnycable({
    name: 'action-cable-anycable-shootout',
    summary: anycableSummary + ofShootout.suffix,
    protocol: ofShootout.protocol,
  }),
];
