import type { z } from 'zod';
import type { Step, Talk } from '../measure/causes.js';
import type { ClientValues } from '../units/slots.js';
import type { EngineWork } from '../wire/choice.js';
import type { Cause, DeliveryBatch, DropMode, Reply, ScanRule, SendBatch } from '../wire/wire.js';
import type { Trails } from './trails.js';

const decoder = new TextDecoder();

/** Returns the UTF-8 text of a message. Other bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Returns the reason for refusing an unknown message. */
export function unexpected(text: string): string {
  return cut(`unexpected message ${text}`);
}

/** Cuts a target's text to the length that a reason may have. */
export function cut(text: string): string {
  return text.slice(0, 80);
}

const ofCloseFrame = /^close-code:(\d+)$/;

/** Returns a cause as a run counts it. A close frame gets the meaning of its code in the protocol. */
export function causeInWords({ closeMeaning }: Pick<Protocol, 'closeMeaning'>, cause: Cause): Cause {
  const code = closeMeaning && ofCloseFrame.exec(cause)?.[1];
  const meaning = code === undefined ? undefined : closeMeaning?.(Number(code));
  return meaning === undefined ? cause : `${cause} ${meaning}`;
}

export { type Cause, type DeliveryBatch, type DropMode, type SendBatch, sendFate } from '../wire/wire.js';

/**
 * Names the abilities of clients beyond receiving. `acknowledge`: the sender is notified when its broadcast is out.
 * `type`: it plays the typing game of our servers. `batch`: one publish request can hold several broadcasts.
 */
export type Verb = 'subscribe' | 'echo' | 'whisper' | 'broadcast' | 'acknowledge' | 'resume' | 'type' | 'batch';

/** Receives the calls of a wire session, one per client. */
export interface SessionSink {
  /** Sends a message of the protocol itself: text, or bytes as a binary message. */
  send(message: string | Uint8Array): void;
  /** Sends a message with data of the run. Returns false if the client is not open or its target reads too little. */
  say(message: string | Uint8Array): boolean;
  /** Sends a ping frame. `Session.ponged` reports its pong. */
  ping(): void;
  /** The session may subscribe, after every `opened`. Subscriptions that outlived a reconnect are confirmed at once. */
  ready(): void;
  subscribed(stream: string): void;
  refused(word: string): void;
  /** A message answers the send with that number. Called for echoes that the protocol itself recognizes. */
  delivered(sequence: number): void;
  /** A message acknowledges the broadcast with that number. */
  acknowledged(sequence: number): void;
  /** A legal message that is part of neither the protocol nor this run. It is ignored and counted. */
  other(bytes: Uint8Array, isBinary?: boolean): void;
  /** Reports if a returning session gets missed messages: Socket.IO before `ready`, AnyCable after `subscribed`. */
  resumed(wasRecovered: boolean): void;
}

/** One client's side of a protocol: bytes in, events out. No socket, no timer. It lives through reconnects. */
export interface Session {
  /** The WebSocket is open (again), with the target's choice of subprotocol. */
  opened(subprotocol: string): void;
  /** A whole message that is not a delivery of this run. `bytes` is valid only during the call. */
  received(bytes: Uint8Array): void;
  /** A whole delivery, for protocols that resume from a position. Must not allocate. */
  position?(bytes: Uint8Array, start: number, end: number): void;
  /** A whole binary message that is no delivery. Without this method wire clients refuse binary messages. */
  receivedBinary?(bytes: Uint8Array): void;
  /** The pong of the last ping came. */
  ponged?(): void;
  subscribe(stream: string): void;
  /** Sends `data`, JSON text, to get it back. Returns false as `SessionSink.say` does. Needs the verb `echo`. */
  echo?(data: string): boolean;
  /** Sends `data` to every other subscriber of a stream that this client holds. Needs the verb `whisper`. */
  whisper?(stream: string, data: string): boolean;
  /** Sends `data`, JSON text, to all subscribers of a stream. Needs the verb `broadcast`. */
  broadcast?(stream: string, data: string): boolean;
  /** Runs every `tickMs` of the protocol, for protocols in which a client must not be silent for too long. */
  tick?(): void;
  /** Types key `number` of the passage that came with that stream, and sends `data` along to its room. */
  type?(stream: string, number: number, data: string): boolean;
}

/** Receives the reports of clients of either kind. Times are in nanoseconds since the start of a connection. */
export interface ClientEvents {
  /** The WebSocket is open. `tcpLeastNs` of `tcpNs` is at least the target's. Both are NaN if a library hides them. */
  opened(client: number, tcpNs: number, upgradeNs: number, tcpLeastNs: number): void;
  ready(client: number): void;
  subscribed(client: number, stream: string): void;
  /** An attempt failed (`wasOpen` false), or a connection ended. Once per `open`: no client reconnects. */
  closed(client: number, cause: Cause, wasOpen: boolean): void;
  resumed(client: number, wasRecovered: boolean): void;
  /** The pong of the client's last ping came. */
  ponged?(client: number): void;
  deliveries(batch: DeliveryBatch): void;
  acknowledgements?(batch: DeliveryBatch): void;
  /** Reports of sends that were handed over ahead. The token of each is its sequence number. */
  sends?(batch: SendBatch): void;
}

/** Clients of one event loop, of either kind. Ids run from 0 to capacity - 1. */
export interface Clients {
  open(client: number): void;
  subscribe(client: number, stream: string): void;
  /** Sends a ping frame. `ponged` reports its pong. */
  ping?(client: number): void;
  /** Set if sends accept a `dueNs`. They then leave at that time without a further call, and `sends` reports them. */
  sendsAhead?: boolean;
  /** Sends data that returns as a delivery. Returns false if not open or `mostUnsentBytes` wait. Needs the verb. */
  echo?(client: number, sequence: number, dueNs?: number): boolean;
  /** Sends data to every other subscriber of a stream that this client holds. */
  whisper?(client: number, stream: string, sequence: number, dueNs?: number): boolean;
  broadcast?(client: number, stream: string, sequence: number, dueNs?: number): boolean;
  type?(client: number, stream: string, number: number, sequence: number, dueNs?: number): boolean;
  /** Returns how many accepted sends of a client never left this process. Undefined if a library does not report it. */
  unsent?(client: number): number;
  /** Returns when all accepted sends had left; Infinity while one waits. Only for sends that leave later. */
  leftAtNs?(client: number): number;
  /**
   * Returns how long, at least, the target took for all its answers since `open`, in nanoseconds. It is the lower bound
   * by the stamps. Call it in the turn that took the answer. That answer counts as one to the last send.
   */
  leastNs(client: number): number;
  /**
   * Returns when the client's message that is being reported came: its kernel stamp, or the time of the read without
   * one. Call it during the report. Left out by libraries, which do not show it.
   */
  arrivedAtNs?(client: number): number | undefined;
  /** Ends a client's connection or attempt. `closed` gets `ours` during the call. Ignored if there is neither. */
  drop(client: number, mode: DropMode): void;
  /** The client is up, or failed by that cause. Its messages may become the example of the cause. */
  settled?(client: number, cause?: Cause): void;
  /** Returns examples of the messages that clients sent and received. */
  talk?(): Talk;
  /** Returns the work of the engines of wire clients so far. */
  engines?(): EngineWork[];
  dispose(): void;
}

/** Checked values of a protocol's own options. */
export type ProtocolValues = Readonly<Record<string, unknown>>;

/** Describes the inputs of a set of library clients. */
export interface LibrarySetup {
  options: ProtocolValues;
  /** Address with slots. Slots in it, in headers and in subprotocols are replaced by the client's values. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Offered behind the protocol's own. */
  subprotocols: readonly string[];
  numberOf(client: number): number;
  /** Left out if a client has only its number. */
  valuesOf?(client: number): ClientValues;
  localAddresses: readonly string[];
  caPem?: string | undefined;
  isInsecure: boolean;
  connectTimeoutMs: number;
  capacity: number;
  trails?: Trails;
  /** Returns data of this run with that sequence number, as JSON text. */
  payload(sequence: number): string;
  /** Returns the sequence number of a delivery in the text of a message, or -1. */
  sequenceOf(text: string): number;
  /** Records a delivery when the library's callback runs. Allocates nothing. */
  delivered(client: number, sequence: number): void;
  /** Records an acknowledgement when the library's callback runs. Allocates nothing. */
  acknowledged(client: number, sequence: number): void;
}

/** A publish as an HTTP request: its path with query, and its body. */
export interface PublishRequest {
  path: string;
  body: string;
  /** Headers beside those of all publishes. */
  headers?: Readonly<Record<string, string>>;
}

/** Describes how a send is found in a message. */
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
  /** Returns the options, in words, that remove a verb, and a hint. Undefined if these options leave the verb. */
  withoutVerb?(verb: Verb, options: ProtocolValues): { where: string; hint: string } | undefined;
  /** Offered in the upgrade, best first. */
  subprotocols: readonly string[];
  /** Path and query that complete a target's address (`completeAddress`). */
  defaultPath: string | ((options: ProtocolValues) => string);
  /** Text that only acknowledgements contain: messages that confirm a broadcast to its sender. */
  acknowledgement?: string;
  library: string;
  /** Describes in words the progress of a client that stops at a step. */
  stuckAt?(options: ProtocolValues): Partial<Record<Step, string>>;
  /** The protocol's own options. All are optional. Keys and flags begin with the protocol's name. */
  options?: z.ZodObject;
  /** Returns a test for deliveries among messages with our marker. It must not allocate. Left out if all are. */
  deliveryTest?(options: ProtocolValues): (bytes: Uint8Array, start: number, end: number) => boolean;
  /** Returns beginnings of messages with our marker that are deliveries for certain. */
  deliveryHeads?(options: ProtocolValues): readonly string[];
  /** Heartbeats of a target that sessions never see. Wire clients and those of `ws` answer or ignore them. */
  replies?: readonly Reply[];
  /** Interval at which wire clients call `Session.tick`, each at its own time. */
  tickMs?: number;
  /** Returns the meaning of a close code in a few words for its cause. Undefined for codes of others. */
  closeMeaning?(code: number): string | undefined;
  /** Set if clients publish, not HTTP requests. `joins`: they subscribe before. `isAnswered`: they await an answer. */
  publishesByClients?: { joins: boolean; isAnswered: boolean };
  /** Markers of deliveries that are not found by the marked data of the run. */
  markers?: Readonly<Record<'publish' | 'echo' | 'whisper', Marker | undefined>>;
  /** Set if only the order of answers shows which echo of a client they belong to. */
  isPairedInOrder?: true;
  /** Texts of awaited messages by purpose, if users can write them. */
  awaited?: Readonly<Partial<Record<'ready' | 'subscribed' | 'acknowledged' | 'publish' | 'echo' | 'whisper', string>>>;
  /** Returns the protocol that these options describe. For a protocol that needs them. */
  described?(options: ProtocolValues): Protocol | undefined;
  /** Returns faults of these options together. `slots` are those beyond its own, or undefined if any may occur. */
  faults?(options: ProtocolValues, slots?: readonly string[]): readonly { key: string; text: string }[];
  /** Makes publishes for an address that does not take `POST {"stream","data"}`. Undefined if it does. */
  publishing?(options: ProtocolValues, address: URL): ((stream: string, data: string) => PublishRequest) | undefined;
  /** Makes publishes of several broadcasts in one request. Needs the verb `batch`. */
  batching?(options: ProtocolValues, address: URL): Batching | undefined;
  session(sink: SessionSink, options: ProtocolValues, values: ClientValues): Session;
  /** Creates clients of the real library with its defaults. Loads the package on first use. */
  libraryClients(setup: LibrarySetup, events: ClientEvents): Promise<Clients>;
}
