import type { z } from 'zod';
import type { Cause, DeliveryBatch, DropMode } from '../wire/wire.js';

export type { Cause, DeliveryBatch, DropMode } from '../wire/wire.js';

/**
 * What a protocol lets a client do beyond receiving, and be told: `acknowledge`, that its broadcast is out. Scenarios name the verbs they need; a
 * protocol without one is refused before the run.
 */
export type Verb = 'subscribe' | 'echo' | 'whisper' | 'broadcast' | 'acknowledge' | 'resume';

/** What a wire session asks for and reports. One per client. */
export interface SessionSink {
  /** Sends a message of the protocol itself: text, or bytes as a binary message. */
  send(message: string | Uint8Array): void;
  /** Sends one that carries data of the run; false if the client is not open or its target reads too little. */
  say(message: string | Uint8Array): boolean;
  /** The session may subscribe now: on every connection again. A subscription that outlived a reconnect is confirmed at once, without a message. */
  ready(): void;
  /** The target confirmed the subscription. */
  subscribed(stream: string): void;
  /** The target refused the session or a subscription; `word` is its own reason. */
  refused(word: string): void;
  /** A returning session learned whether the target replays what it missed. Socket.IO says so before `ready`, AnyCable after `subscribed`. */
  resumed(wasRecovered: boolean): void;
}

/** One client's side of an application protocol: bytes in, events out. No socket, no timer; it lives through reconnects of its client. */
export interface Session {
  /** The WebSocket is open (again); `subprotocol` is what the target chose. */
  opened(subprotocol: string): void;
  /** A whole message that is no delivery of this run. `bytes` is valid only during the call. */
  received(bytes: Uint8Array): void;
  /** A whole delivery, for protocols that resume from a position. Must not allocate. */
  position?(bytes: Uint8Array, start: number, end: number): void;
  /** The same of a binary message. A wire client of a protocol without this method refuses binary messages. */
  receivedBinary?(bytes: Uint8Array): void;
  subscribe(stream: string): void;
  /** Says `data`, JSON text, to be answered by the same to this client alone; false as `SessionSink.say` is. There only where the protocol has the verb `echo`. */
  echo?(data: string): boolean;
  /** Says `data`, JSON text, to every other subscriber of a stream that this client holds. There only where the protocol has the verb `whisper`. */
  whisper?(stream: string, data: string): boolean;
  /** Says `data`, JSON text, to all subscribers of a stream, this client included when it is one. There only where the protocol has the verb `broadcast`. */
  broadcast?(stream: string, data: string): boolean;
}

/** What a set of clients, wire or library, tells its user. Times in nanoseconds since the call of `open`. */
export interface ClientEvents {
  /** The WebSocket is open. A library that does not show TCP apart gives `tcpNs` NaN. */
  opened(client: number, tcpNs: number, upgradeNs: number): void;
  /** The session may subscribe: on every connection again, as `SessionSink.ready` says. */
  ready(client: number): void;
  subscribed(client: number, stream: string): void;
  /**
   * A connection attempt failed (`wasOpen` false), was refused by the protocol, or an open connection ended. Once per
   * `open`; the client can be opened again from then on, and no client of either kind tries by itself.
   */
  closed(client: number, cause: Cause, wasOpen: boolean): void;
  resumed(client: number, wasRecovered: boolean): void;
  deliveries(batch: DeliveryBatch): void;
  /** What a target says to the sender of a broadcast alone, where the protocol has such an answer. */
  acknowledgements?(batch: DeliveryBatch): void;
}

/** Clients of one event loop, of either kind. Ids run from 0 to capacity - 1. */
export interface Clients {
  open(client: number): void;
  subscribe(client: number, stream: string): void;
  /**
   * Sends data of this run with that sequence number, to come back to this client as a delivery. It leaves in the turn of the call, or waits behind
   * what the target has not read; false where the client is not open, or `mostUnsentBytes` wait. There only where the protocol has the verb.
   */
  echo?(client: number, sequence: number): boolean;
  /** The same to every other subscriber of a stream that this client holds; each gets a delivery. */
  whisper?(client: number, stream: string, sequence: number): boolean;
  /** The same to all subscribers of a stream, the sender included when it is one; each gets a delivery. */
  broadcast?(client: number, stream: string, sequence: number): boolean;
  /** How many of a client's echoes, whispers and broadcasts that were taken have not left this process, the last ones; left out where a library does not tell. */
  unsent?(client: number): number;
  /**
   * Ends a client's connection, or its attempt; `closed` says `ours` during the call. Ignored where there is neither.
   */
  drop(client: number, mode: DropMode): void;
  /** Closes every client; no event follows. */
  dispose(): void;
}

/** Values of a protocol's own options, checked. */
export type ProtocolValues = Readonly<Record<string, unknown>>;

/** What a set of library clients is built from. */
export interface LibrarySetup {
  /** Of the protocol's own options. */
  options: ProtocolValues;
  /** In the query and in headers `{client}` stands for the client's number. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The number in the whole run of a client of this set. */
  numberOf(client: number): number;
  localAddresses: readonly string[];
  caPem?: string | undefined;
  isInsecure: boolean;
  connectTimeoutMs: number;
  capacity: number;
  /** Data of this run with that sequence number, as JSON text. */
  payload(sequence: number): string;
  /** Finds the sequence number of a delivery of this run in the text of a message, or -1. */
  sequenceOf(text: string): number;
  /** Records one delivery at the moment the library's callback runs. Allocates nothing. */
  delivered(client: number, sequence: number): void;
  /** The same of an acknowledgement. */
  acknowledged(client: number, sequence: number): void;
}

/** An application protocol: its wire session and its real client library, behind one name. */
export interface Protocol {
  name: string;
  summary: string;
  verbs: readonly Verb[];
  /** Offered in the upgrade, best first. */
  subprotocols: readonly string[];
  /** Path and query that the protocol adds where a target's address has none of its own (`completeAddress`). */
  defaultPath: string;
  /**
   * A text in the message by which the target tells the sender of a broadcast that it is out, repeating its data, and in no delivery. Left out where
   * the protocol has no such message.
   */
  acknowledgement?: string;
  /** Package of the real client library, as in package.json. */
  library: string;
  /** What a user may say of a server that speaks it. All can be left out; keys and flags begin with the protocol's name. */
  options?: z.ZodObject;
  /** Tells which messages with our marker are deliveries, where not all of them are. The test must not allocate. */
  deliveryTest?(options: ProtocolValues): (bytes: Uint8Array, start: number, end: number) => boolean;
  /** A new wire session of the client with that number in the run. */
  session(sink: SessionSink, options: ProtocolValues, number: number): Session;
  /** Clients of the real library with its real defaults. Loads the package on first use. */
  libraryClients(setup: LibrarySetup, events: ClientEvents): Promise<Clients>;
}
