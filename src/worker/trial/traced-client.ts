import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { PayloadFormat } from '../../measure/samples/payload.js';
import { causeOfCloseCode, causeOfError } from '../../protocols/library/clients.js';
import {
  type Cause,
  causeInWords,
  type Protocol,
  type ProtocolValues,
  type Session,
  type SessionSink,
} from '../../protocols/protocol.js';
import type { ClientUpgrade, ClientValues } from '../../units/slots.js';
import { Replies } from '../../wire/replies.js';
import { type TrialWay, tlsOf, tunnelTo } from './tunnel.js';

/** A message that a client sent or received. */
export interface TracedMessage {
  isSent: boolean;
  isBinary: boolean;
  bytes: Uint8Array;
}

export interface TracedSetup {
  number: number;
  protocol: Protocol;
  options: ProtocolValues;
  upgrade: ClientUpgrade;
  values: ClientValues;
  way: TrialWay;
  connectTimeoutMs: number;
  format: PayloadFormat;
  seen(message: TracedMessage): void;
  reached(what: Reached): void;
}

/** A result that a client can reach: a step, or a send by its number that was delivered or acknowledged. */
export type Reached = 'open' | 'ready' | 'subscribed' | `delivered ${number}` | `acknowledged ${number}`;

/** Interval at which a step is looked for. */
const lookMs = 10;

/** Runs one client on its own WebSocket and shows its messages. It measures nothing. */
export class TracedClient {
  readonly number: number;
  readonly session: Session;
  /** Format that identifies sends. It can differ from verb to verb. */
  format: PayloadFormat;
  end: Cause | undefined;
  readonly #socket: WebSocket;
  readonly #replies: Replies;
  readonly #reached = new Set<string>();
  #ticks: NodeJS.Timeout | undefined;

  constructor(private readonly setup: TracedSetup) {
    const { protocol, options, upgrade, values, way, connectTimeoutMs } = setup;
    this.number = setup.number;
    this.format = setup.format;
    this.#replies = new Replies(protocol.replies);
    this.session = protocol.session(this.#sink(), options, values);
    this.#socket = new WebSocket(upgrade.url, [...protocol.subprotocols, ...upgrade.subprotocols], {
      headers: upgrade.headers,
      handshakeTimeout: connectTimeoutMs,
      ...tlsOf(way),
      ...(way.proxy !== undefined && {
        createConnection: tunnelTo(upgrade.url, way, (cause) => this.#end(cause)) as never,
      }),
    });
    this.#socket.on('open', () => this.#opened());
    this.#socket.on('message', (data: Buffer, isBinary: boolean) => this.#received(data, isBinary));
    this.#socket.on('pong', () => this.session.ponged?.());
    // An error comes before its close event and has more detail.
    this.#socket.on('error', (error) => this.#end(causeOfError(error)));
    this.#socket.on('close', (code) => this.#end(causeInWords(protocol, causeOfCloseCode(code))));
  }

  async reaches(what: Reached, withinMs: number, over: AbortSignal): Promise<boolean> {
    const untilMs = performance.now() + withinMs;
    const isAwaited = (): boolean => !over.aborted && this.end === undefined && performance.now() < untilMs;
    while (!this.#reached.has(what) && isAwaited()) await delay(lookMs);
    return this.#reached.has(what);
  }

  close(): void {
    clearInterval(this.#ticks);
    this.#socket.terminate();
  }

  #opened(): void {
    const { tickMs } = this.setup.protocol;
    if (tickMs !== undefined) this.#ticks = setInterval(() => this.session.tick?.(), tickMs);
    this.#reach('open');
    this.session.opened(this.#socket.protocol);
  }

  #received(data: Buffer, isBinary: boolean): void {
    this.setup.seen({ isSent: false, isBinary, bytes: data });
    const { acknowledgement, deliveryTest } = this.setup.protocol;
    const text = data.toString();
    const sequence = this.format.sequenceOf(text);
    const reply = isBinary ? undefined : this.#replies.to(data);
    if (sequence >= 0 && acknowledgement !== undefined && text.includes(acknowledgement))
      this.#reach(`acknowledged ${sequence}`);
    else if (sequence >= 0 && deliveryTest?.(this.setup.options)(data, 0, data.length) !== false) {
      this.session.position?.(data, 0, data.length);
      this.#reach(`delivered ${sequence}`);
    } else if (isBinary && this.session.receivedBinary) this.session.receivedBinary(data);
    else if (isBinary) this.#refused('a binary message');
    else if (reply === undefined) this.session.received(data);
    else if (reply.send !== undefined) this.#send(reply.send);
  }

  #sink(): SessionSink {
    return {
      send: (message) => void this.#send(message),
      say: (message) => this.#send(message),
      ready: () => this.#reach('ready'),
      subscribed: () => this.#reach('subscribed'),
      refused: (word) => this.#refused(word),
      delivered: (sequence) => this.#reach(`delivered ${sequence}`),
      acknowledged: (sequence) => this.#reach(`acknowledged ${sequence}`),
      resumed: () => undefined,
      other: () => undefined,
      ping: () => void this.#socket.ping(),
    };
  }

  #send(message: string | Uint8Array): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.setup.seen({ isSent: true, isBinary: typeof message !== 'string', bytes: Buffer.from(message) });
    this.#socket.send(message);
    return true;
  }

  #reach(what: Reached): void {
    this.setup.reached(what);
    this.#reached.add(what);
  }

  #refused(word: string): void {
    this.#end(`rejected:${word}`);
  }

  #end(cause: Cause): void {
    if (this.end !== undefined) return;
    this.end = cause;
    this.close();
  }
}
