import type { z } from 'zod';
import type { Step, Talk } from '../measure/causes.js';
import type { ClientValues } from '../units/slots.js';
import type { EngineWork } from '../wire/choice.js';
import type { Cause, DeliveryBatch, DropMode, Reply, ScanRule, SendBatch } from '../wire/wire.js';
import type { Trails } from './trails.js';

const decoder = new TextDecoder();

/** The UTF-8 text of a message; other bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The reason for refusing an unknown message. */
export function unexpected(text: string): string {
  return cut(`unexpected message ${text}`);
}

/** As much of a text of a target as a reason may hold. */
export function cut(text: string): string {
  return text.slice(0, 80);
}

const ofCloseFrame = /^close-code:(\d+)$/;

/** A cause as a run counts it: that of a close frame with what its code means to the protocol. */
export function causeInWords({ closeMeaning }: Pick<Protocol, 'closeMeaning'>, cause: Cause): Cause {
  const code = closeMeaning && ofCloseFrame.exec(cause)?.[1];
  const meaning = code === undefined ? undefined : closeMeaning?.(Number(code));
  return meaning === undefined ? cause : `${cause} ${meaning}`;
}

export { type Cause, type DeliveryBatch, type DropMode, type SendBatch, sendFate } from '../wire/wire.js';

/**
 * What clients can do beyond receiving; `acknowledge`: the sender hears when its broadcast is out; `type`: it plays the
 * typing game of our servers. `batch`: one publish request can hold several broadcasts.
 */
export type Verb = 'subscribe' | 'echo' | 'whisper' | 'broadcast' | 'acknowledge' | 'resume' | 'type' | 'batch';

/** What a wire session calls, one per client. */
export interface SessionSink {
  /** Sends a message of the protocol itself: text, or bytes as a binary message. */
  send(message: string | Uint8Array): void;
  /** Sends one that carries data of the run; false if the client is not open or its target reads too little. */
  say(message: string | Uint8Array): boolean;
  /** Sends a ping frame; `Session.ponged` tells of its pong. */
  ping(): void;
  /** The session may subscribe, after every `opened`. What outlived a reconnect is confirmed at once. */
  ready(): void;
  subscribed(stream: string): void;
  refused(word: string): void;
  /** A message answers the send with that number: an echo that came back, of a protocol that finds it itself. */
  delivered(sequence: number): void;
  /** The same of a broadcast's answer to its sender. */
  acknowledged(sequence: number): void;
  /** A legal message that is part of neither the protocol nor this run: it is passed over, and counted. */
  other(bytes: Uint8Array, isBinary?: boolean): void;
  /** Whether a returning session gets what it missed. Socket.IO says so before `ready`, AnyCable after `subscribed`. */
  resumed(wasRecovered: boolean): void;
}

/** One client's side of a protocol: bytes in, events out. No socket, no timer; it lives through reconnects. */
export interface Session {
  /** The WebSocket is open (again), with the target's choice of subprotocol. */
  opened(subprotocol: string): void;
  /** A whole message that is not a delivery of this run. `bytes` is valid only during the call. */
  received(bytes: Uint8Array): void;
  /** A whole delivery, for protocols that resume from a position. Must not allocate. */
  position?(bytes: Uint8Array, start: number, end: number): void;
  /** The same for a binary message. Without this method wire clients refuse binary messages. */
  receivedBinary?(bytes: Uint8Array): void;
  /** The pong of the last ping came. */
  ponged?(): void;
  subscribe(stream: string): void;
  /** Sends `data`, JSON text, to get it back; false as `SessionSink.say` is. Needs the verb `echo`. */
  echo?(data: string): boolean;
  /** The same to every other subscriber of a stream that this client holds. Needs the verb `whisper`. */
  whisper?(stream: string, data: string): boolean;
  /** Sends `data`, JSON text, to all subscribers of a stream. Needs the verb `broadcast`. */
  broadcast?(stream: string, data: string): boolean;
  /** `tickMs` of the protocol have passed, for protocols in which a client must not be silent for too long. */
  tick?(): void;
  /** Types key `number` of the passage that came with that stream, a seat, and sends `data` along to its room. */
  type?(stream: string, number: number, data: string): boolean;
}

/** What a set of clients of either kind reports. Times in nanoseconds since a connection was begun. */
export interface ClientEvents {
  /** The WebSocket is open. `tcpNs`, and the least that it was the target's, is NaN if a library does not show it. */
  opened(client: number, tcpNs: number, upgradeNs: number, tcpLeastNs: number): void;
  ready(client: number): void;
  subscribed(client: number, stream: string): void;
  /** An attempt failed (`wasOpen` false), or a connection was refused or ended. Once per `open`: none reconnects. */
  closed(client: number, cause: Cause, wasOpen: boolean): void;
  resumed(client: number, wasRecovered: boolean): void;
  /** The pong of the client's last ping came. */
  ponged?(client: number): void;
  deliveries(batch: DeliveryBatch): void;
  acknowledgements?(batch: DeliveryBatch): void;
  /** Sends that were handed over ahead; the token of each is its sequence number. */
  sends?(batch: SendBatch): void;
}

/** Clients of one event loop, of either kind. Ids run from 0 to capacity - 1. */
export interface Clients {
  open(client: number): void;
  subscribe(client: number, stream: string): void;
  /** Sends a ping frame; `ponged` tells of its pong. */
  ping?(client: number): void;
  /** Whether sends take a `dueNs` where they name one: they then leave by themselves at it, and `sends` tells. */
  sendsAhead?: boolean;
  /** Sends data, to come back as a delivery; false if not open or `mostUnsentBytes` wait. Needs the verb. */
  echo?(client: number, sequence: number, dueNs?: number): boolean;
  /** The same to every other subscriber of a stream that this client holds. */
  whisper?(client: number, stream: string, sequence: number, dueNs?: number): boolean;
  broadcast?(client: number, stream: string, sequence: number, dueNs?: number): boolean;
  type?(client: number, stream: string, number: number, sequence: number, dueNs?: number): boolean;
  /** How many accepted sends of a client never left this process; undefined if a library does not tell. */
  unsent?(client: number): number;
  /** When all accepted sends of a client had left; Infinity while one waits. Only where that is after the send. */
  leftAtNs?(client: number): number;
  /**
   * How long, at least, the target took for all that it answered since `open`, in nanoseconds: the lower end of what
   * stamps say. Call it in the turn that took the answer; that is counted as one to what was sent last.
   */
  leastNs(client: number): number;
  /**
   * When what is being told of a client came: by its kernel stamp, without one when it was read. To be called while it
   * is told. Left out by libraries, which do not show it.
   */
  arrivedAtNs?(client: number): number | undefined;
  /** Ends a client's connection or attempt; `closed` says `ours` during the call. Ignored if there is neither. */
  drop(client: number, mode: DropMode): void;
  /** The client is up, or failed by that cause, of which its talk may become the example. */
  settled?(client: number, cause?: Cause): void;
  /** What they said and heard. */
  talk?(): Talk;
  /** What the engines of wire clients did so far. */
  engines?(): EngineWork[];
  dispose(): void;
}

/** Values of a protocol's own options, checked. */
export type ProtocolValues = Readonly<Record<string, unknown>>;

/** What a set of library clients is built from. */
export interface LibrarySetup {
  options: ProtocolValues;
  /** Slots in it, in headers and in subprotocols stand for values of the client. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Offered behind the protocol's own. */
  subprotocols: readonly string[];
  numberOf(client: number): number;
  /** Left out where a client has nothing but its number. */
  valuesOf?(client: number): ClientValues;
  localAddresses: readonly string[];
  caPem?: string | undefined;
  isInsecure: boolean;
  connectTimeoutMs: number;
  capacity: number;
  trails?: Trails;
  /** Data of this run with that sequence number, as JSON text. */
  payload(sequence: number): string;
  /** The sequence number of a delivery in the text of a message, or -1. */
  sequenceOf(text: string): number;
  /** Records a delivery when the library's callback runs. Allocates nothing. */
  delivered(client: number, sequence: number): void;
  /** The same of an acknowledgement. */
  acknowledged(client: number, sequence: number): void;
}

/** A publish as an HTTP request: its path with query, and its body. */
export interface PublishRequest {
  path: string;
  body: string;
  /** Beside those of all publishes. */
  headers?: Readonly<Record<string, string>>;
}

/** How a send is found in a message. */
export type Marker = Pick<ScanRule, 'marker' | 'sequenceOffset' | 'sequenceDigits'>;

/** Makes publishes of several broadcasts, at most `most` each. */
export interface Batching {
  most: number;
  requestOf(stream: string, data: readonly string[]): PublishRequest;
}

/** An application protocol: its wire session and its real client library. */
export interface Protocol {
  name: string;
  summary: string;
  verbs: readonly Verb[];
  /** With which of these options a verb of it is missing, in words, and what to do; undefined if they leave it. */
  withoutVerb?(verb: Verb, options: ProtocolValues): { where: string; hint: string } | undefined;
  /** Offered in the upgrade, best first. */
  subprotocols: readonly string[];
  /** Path and query that complete a target's address (`completeAddress`). */
  defaultPath: string | ((options: ProtocolValues) => string);
  /** Text that only the message has which tells a sender that its broadcast is out. */
  acknowledgement?: string;
  library: string;
  /** How far a client has come that goes no further than that step, in words. */
  stuckAt?(options: ProtocolValues): Partial<Record<Step, string>>;
  /** Its own options. All are optional; keys and flags begin with the protocol's name. */
  options?: z.ZodObject;
  /** Tells which messages with our marker are deliveries, if not all are. Must not allocate. */
  deliveryTest?(options: ProtocolValues): (bytes: Uint8Array, start: number, end: number) => boolean;
  /** Beginnings of messages with our marker that are deliveries for certain. */
  deliveryHeads?(options: ProtocolValues): readonly string[];
  /** Heartbeats of a target, which no session hears of: wire clients and those of `ws` answer or pass them over. */
  replies?: readonly Reply[];
  /** How often wire clients call `Session.tick`, each at its own time. */
  tickMs?: number;
  /** What a close code means, in a few words for its cause; undefined for a code of others. */
  closeMeaning?(code: number): string | undefined;
  /** Set where a client publishes what others have posted: whether it subscribes before, and awaits an answer. */
  publishesByClients?: { joins: boolean; isAnswered: boolean };
  /** How deliveries are found, where that is not by the marked data of the run. */
  markers?: Readonly<Record<'publish' | 'echo' | 'whisper', Marker | undefined>>;
  /** Set where nothing but their order tells which answer belongs to which echo of a client. */
  isPairedInOrder?: true;
  /** Text in messages that a client waits for, by what it then knows, where users can write it. */
  awaited?: Readonly<Partial<Record<'ready' | 'subscribed' | 'acknowledged' | 'publish' | 'echo' | 'whisper', string>>>;
  /** The protocol that these options describe, of one that is nothing without them. */
  described?(options: ProtocolValues): Protocol | undefined;
  /** What is wrong with these options together, by place. `slots`: those beyond its own; undefined where any may be. */
  faults?(options: ProtocolValues, slots?: readonly string[]): readonly { key: string; text: string }[];
  /** Makes publishes for an address that does not take `POST {"stream","data"}`; undefined for one that does. */
  publishing?(options: ProtocolValues, address: URL): ((stream: string, data: string) => PublishRequest) | undefined;
  /** The same of several broadcasts in one request. Needs the verb `batch`. */
  batching?(options: ProtocolValues, address: URL): Batching | undefined;
  session(sink: SessionSink, options: ProtocolValues, values: ClientValues): Session;
  /** Clients of the real library with its defaults. Loads the package on first use. */
  libraryClients(setup: LibrarySetup, events: ClientEvents): Promise<Clients>;
}
