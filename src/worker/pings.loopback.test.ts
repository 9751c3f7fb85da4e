import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Dialect, DialectClient } from '../../servers/metronome/dialects/dialect.js';
import {
  anycableDialect,
  shootoutDialect,
  socketioDialect,
  wsJsonDialect,
} from '../../servers/metronome/dialects/list.js';
import { pusherDialect } from '../../servers/metronome/dialects/pusher.js';
import { nativeAddon } from '../../test/doubles/engines.js';
import { Heard } from '../../test/doubles/session-recorders.js';
import { jobBody } from '../../test/stage/job-body.js';
import { payloadFormat } from '../measure/samples/payload.js';
import { ownProtocols } from '../protocols/list.js';
import type { Clients } from '../protocols/protocol.js';
import { parseJob } from '../scenarios/job.js';
import { openClients } from './clients.js';

/** A server of a protocol, and the texts by which it asks whether a client is there, beside the pings of RFC 6455. */
interface Row {
  dialect: Dialect;
  pings: readonly string[];
  /** The answer to each. */
  pong?: string;
  /** Its library takes no ping of the protocol before what the server says first. */
  isGreetedFirst?: true;
}

/** Any channel of a Rails application: what is not AnyCable's own. */
const channel: Dialect = {
  ...anycableDialect,
  hear(client, text = '') {
    const { identifier } = JSON.parse(text) as { identifier: string };
    client.subscribe('', identifier);
    client.say(JSON.stringify({ identifier, type: 'confirm_subscription' }));
  },
  delivery: ({ value }, identifier) => JSON.stringify({ identifier, message: { action: 'broadcast', payload: value } }),
};

const ofCable = { pings: ['{"type":"ping","message":1795527638}', '{"type":"ping"}'] };

const rows: Readonly<Record<string, Row>> = {
  'ws-json': { dialect: wsJsonDialect, pings: [] },
  socketio: { dialect: socketioDialect, pings: ['2'], pong: '3', isGreetedFirst: true },
  anycable: { dialect: anycableDialect, ...ofCable },
  actioncable: { dialect: anycableDialect, ...ofCable },
  rails: { dialect: channel, ...ofCable },
  'rails-anycable': { dialect: channel, ...ofCable },
  pusher: {
    dialect: pusherDialect,
    pings: ['{"event":"pusher:ping","data":{}}', '{"event":"pusher:ping"}'],
    pong: '{"event":"pusher:pong","data":{}}',
    isGreetedFirst: true,
  },
  shootout: { dialect: shootoutDialect, pings: [] },
  'shootout-cable': { dialect: channel, ...ofCable },
};

/** Those whose clients say or take anything. What users describe has the session of `ws-json`. */
const names = ownProtocols.filter(({ verbs }) => verbs.length > 0).map(({ name }) => name);

/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 30_000 };
const stream = 'ringside-7b39ba6e';
const format = payloadFormat('7b39ba6e', 200);

/** One client's side of a server that asks whether it is there before and behind all that it says. */
class PingingServer {
  /** What the client said, without its pongs. */
  readonly said: string[] = [];
  pings = 0;
  pongs = 0;
  readonly #forms: string[] = [];
  readonly #client: DialectClient;
  #turn: Promise<void>;

  constructor(
    private readonly socket: WebSocket,
    private readonly row: Row,
    { url, isLibrary }: { url: string; isLibrary: boolean },
  ) {
    const wrong = (): never => {
      throw new Error('no client of this test asks for that');
    };
    this.#client = {
      ...{ index: 0, subprotocol: socket.protocol, url },
      say: (text) => socket.send(text),
      subscribe: (_stream, form) => void this.#forms.push(form),
      ...{ unsubscribe: wrong, whisper: wrong, broadcast: wrong, end: wrong },
    };
    const isGreetedFirst = isLibrary && row.isGreetedFirst === true;
    this.#turn = this.#between(() => row.dialect.greet(this.#client), isGreetedFirst ? [] : row.pings);
    socket.on('message', (data) => {
      const text = String(data);
      if (text === row.pong) this.pongs++;
      else {
        this.said.push(text);
        this.#turn = this.#turn.then(() => this.#between(() => row.dialect.hear(this.#client, text)));
      }
    });
  }

  /** A broadcast to every subscription of the client. */
  async broadcast(sequence: number): Promise<void> {
    await this.#turn;
    const data = format.text(0, sequence);
    const spoken = { stream, data, value: JSON.parse(data) as unknown, offset: sequence };
    for (const form of this.#forms) {
      await this.#between(() => this.socket.send(this.row.dialect.delivery(spoken, form)));
    }
  }

  async #between(say: () => void, before = this.row.pings): Promise<void> {
    await this.#ping(before);
    say();
    await this.#ping(this.row.pings);
  }

  /** Ends when the client answered the last ping, so that it has taken all of them, or has left. */
  async #ping(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      this.socket.send(text);
      this.pings++;
    }
    const answered = Promise.race([once(this.socket, 'pong'), once(this.socket, 'close')]);
    this.socket.ping();
    await answered;
  }
}

let listening: WebSocketServer;
let clients: Clients | undefined;

beforeEach(async () => {
  listening = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(listening, 'listening');
});

afterEach(() => {
  clients?.dispose();
  for (const socket of listening.clients) socket.terminate();
  listening.close();
});

it('every protocol has a row', () => {
  expect(Object.keys(rows)).toEqual(names);
});

describe.each([
  ['native engine', { client: 'wire', engine: 'native' }],
  ['JavaScript engine', { client: 'wire', engine: 'js' }],
  ['library clients', { client: 'library', engine: 'auto' }],
])('%s', (_name, load) => {
  const isHere = load.engine !== 'native' || nativeAddon !== undefined;
  it.skipIf(!isHere).each(names)('%s: pings at any time change nothing', async (name) => {
    const connected = once(listening, 'connection');
    const row = rows[name]!;
    const wsUrls = [`ws://127.0.0.1:${(listening.address() as AddressInfo).port}`];
    // No one scenario has all protocols.
    const job = { ...parseJob(jobBody({ wsUrls, options: { clients: 7 }, load })), protocol: name };
    const events = new Heard();
    clients = await openClients(job, format, { first: 0, capacity: 1 }, events);
    clients.open(0);
    const [socket, { url }] = await connected;
    const server = new PingingServer(socket, row, { url, isLibrary: load.client === 'library' });
    await expect.poll(() => events.lines, eventually).toEqual(['0 opened', '0 ready']);
    clients.subscribe(0, stream);
    const lines = ['0 opened', '0 ready', `0 subscribed ${stream}`];
    await expect.poll(() => events.lines, eventually).toEqual(lines);
    const before = server.said.length;
    const sequences = [1, 2, 3, 4, 5, 6, 7];
    for (const sequence of sequences) await server.broadcast(sequence);
    await expect.poll(() => events.heard, eventually).toEqual(sequences.map((sequence) => `0:${sequence}`));
    expect(events.lines).toEqual(lines);
    expect(server.said.length).toBe(before);
    await expect.poll(() => server.pongs, eventually).toBe(row.pong === undefined ? 0 : server.pings);
  });
});
