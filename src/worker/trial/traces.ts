import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { MessageMaker } from '../../flow/sends.js';
import type { FlowSocket, OpenSockets, SocketRequest } from '../../flow/sockets/sockets.js';
import { lineOfError } from '../../flow/user-code.js';
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
import { SequenceScan } from '../../wire/frames/sequence-scan.js';
import { Replies } from '../../wire/replies.js';
import { type ScanRule, wholeMessage } from '../../wire/wire.js';
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

/** A message that the client of a flow sent or received, with the line of the user's file that sent it. */
export interface FlowFrame {
  atNs: number;
  isSent: boolean;
  message: string | Uint8Array;
  line?: string | undefined;
}

/** Sees the sockets of a client. */
export interface SocketWatch {
  frame(frame: FlowFrame): void;
  step(text: string, line?: string): void;
  nowNs(): number;
}

/** Sockets of the JavaScript engine, whose messages, opens and closes are seen. */
export class TracedSockets implements OpenSockets {
  readonly #scan: SequenceScan;
  /** The last message of declared sends, and the line that declared them. It is sent right after it is made. */
  #made: { message: string | Uint8Array; line: string | undefined } | undefined;

  constructor(
    private readonly sockets: OpenSockets,
    rule: ScanRule,
    private readonly watch: SocketWatch,
  ) {
    this.#scan = new SequenceScan(rule);
  }

  /** Remembers the line that declares sends, as the engine's clock sends them. */
  declared(make: MessageMaker): MessageMaker {
    const line = lineHere();
    return (n, mark) => {
      const message = wholeMessage(make(n, mark));
      this.#made = { message, line };
      return message;
    };
  }

  open(request: SocketRequest): FlowSocket {
    const { events, seesMarked, url } = request;
    const { watch } = this;
    const place = `${url.host}${url.pathname}${url.search}`;
    watch.step(`connecting to ${place}`, lineHere());
    const socket = this.sockets.open({
      ...request,
      // The ledger takes marked messages, and the user wants to read them.
      seesMarked: true,
      events: {
        ...events,
        opened: (subprotocol, times) => {
          watch.step(`open${subprotocol === '' ? '' : ` with ${subprotocol}`}`);
          events.opened(subprotocol, times);
        },
        message: (bytes, isBinary, receivedAtNs, notBeforeNs) => {
          const message = isBinary ? bytes : Buffer.from(bytes).toString();
          watch.frame({ atNs: receivedAtNs, isSent: false, message });
          const isMarked = this.#scan.find(Buffer.from(bytes), 0, bytes.length) >= 0;
          if (seesMarked || !isMarked) events.message(bytes, isBinary, receivedAtNs, notBeforeNs);
        },
        closed: (cause, wasOpen, code, reason) => {
          const said = [cause, ...(cause.startsWith('close-code') ? [] : [`code ${code}`]), reason].filter(Boolean);
          watch.step(wasOpen ? `closed: ${said.join(', ')}` : `not open: ${cause}`);
          events.closed(cause, wasOpen, code, reason);
        },
      },
    });
    return this.#traced(socket);
  }

  #traced(socket: FlowSocket): FlowSocket {
    return {
      send: (given) => {
        const message = wholeMessage(given);
        const line = this.#lineOf(message);
        // Before the write, or an answer could come first.
        const atNs = this.watch.nowNs();
        const isTaken = socket.send(message);
        if (isTaken) this.watch.frame({ atNs, isSent: true, message, line });
        return isTaken;
      },
      sendsAhead: socket.sendsAhead,
      sendAt: (message, dueNs, token) => socket.sendAt(message, dueNs, token),
      ping: (payload) => socket.ping(payload),
      close: (code, reason) => socket.close(code, reason),
      drop: (mode, cause) => socket.drop(mode, cause),
      get buffered() {
        return socket.buffered;
      },
      leftAtNs: () => socket.leftAtNs(),
    };
  }

  #lineOf(message: string | Uint8Array): string | undefined {
    const made = this.#made;
    this.#made = undefined;
    return lineHere() ?? (made?.message === message ? made.line : undefined);
  }

  stats() {
    return this.sockets.stats();
  }

  dispose(): void {
    this.sockets.dispose();
  }
}

function lineHere(): string | undefined {
  return lineOfError(new Error());
}
