import type { ClientValues } from '../units/slots.js';
import type { Reply, ScanRule } from '../wire/wire.js';

/**
 * Names the abilities of clients beyond receiving. `acknowledge`: the sender is notified when its broadcast is out.
 * `play`: its servers may run the typing game. `batch`: one publish request can hold several broadcasts. `streams`: a
 * client can subscribe to several streams, and a broadcast names its stream.
 */
export type Verb =
  | 'subscribe'
  | 'streams'
  | 'echo'
  | 'whisper'
  | 'broadcast'
  | 'acknowledge'
  | 'resume'
  | 'play'
  | 'batch';

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
}

/** Checked values of a protocol's own options. */
export type ProtocolValues = Readonly<Record<string, unknown>>;

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

/** Describes an application protocol by what its wire session does, and by what is the same for all its clients. */
export interface ProtocolDefinition {
  name: string;
  summary: string;
  verbs: readonly Verb[];
  /** Offered in the upgrade, best first. */
  subprotocols?: readonly string[];
  /** Path and query that complete a target's address without a path. `/` by default. */
  defaultPath?: string | ((options: ProtocolValues) => string);
  /** Text that only acknowledgements contain: messages that confirm a broadcast to its sender. */
  acknowledgement?: string;
  /** Heartbeats of a target that sessions never see. Wire clients and those of `ws` answer or ignore them. */
  replies?: readonly Reply[];
  /** Interval at which wire clients call `Session.tick`, each at its own time. */
  tickMs?: number;
  /** Returns the meaning of a close code in a few words for its cause. Undefined for codes of others. */
  closeMeaning?(code: number): string | undefined;
  /** Set if clients publish, not HTTP requests. `joins`: they subscribe before. `isAnswered`: they await an answer. */
  publishesByClients?: { joins: boolean; isAnswered: boolean };
  /** Markers of deliveries that are not found by the marked data of the run. */
  markers?: Readonly<Partial<Record<'publish' | 'echo' | 'whisper', Marker | undefined>>>;
  /** Set if only the order of answers shows which echo of a client they belong to. */
  isPairedInOrder?: true;
  /** Makes publishes for an address that does not take `POST {"stream","data"}`. Undefined if it does. */
  publishing?(options: ProtocolValues, address: URL): ((stream: string, data: string) => PublishRequest) | undefined;
  /** Makes publishes of several broadcasts in one request. Needs the verb `batch`. */
  batching?(options: ProtocolValues, address: URL): Batching | undefined;
  /** Makes the session of one client. `options`: those of all clients. `values`: the client's, such as `{client}`. */
  session(sink: SessionSink, options: ProtocolValues, values: ClientValues): Session;
}

/** Returns the definition, which a module exports by default for `--protocol FILE`. */
export function defineProtocol(definition: ProtocolDefinition): ProtocolDefinition {
  return definition;
}
