import type { ClientValues } from '../units/slots.js';
import type { CompressionOffer } from './deflate.js';

/** Describes the inputs and reports of a wire engine. Clients are small integers, and deliveries leave in batches. */

/**
 * A sequence number has `sequenceDigits` ASCII digits, `sequenceOffset` bytes after the start of `marker`. With an
 * empty marker no message is scanned, so that none is a delivery.
 */
export interface ScanRule {
  marker: string;
  sequenceOffset: number;
  sequenceDigits: number;
  /** Text that only acknowledgements contain: messages that repeat a sender's data to the sender. */
  acknowledgement?: string | undefined;
  /** Returns true if a message with a sequence number is a delivery. Left out if all are. Must not allocate. */
  isDelivery?: ((bytes: Uint8Array, start: number, end: number) => boolean) | undefined;
  /** Beginnings of messages for which `isDelivery` is always true. The engine then does not call it. */
  deliveryHeads?: readonly string[] | undefined;
}

/** A text of a target that sessions need not see, and the reply to it. Without `send`, nothing is sent. */
export interface Reply {
  received: string;
  /** True if every text with this beginning matches. */
  isPrefix?: boolean;
  send?: string;
}

/** Describes how a wire engine reaches its target. */
export interface WireSetup {
  /** Address with path and query. Slots in it, in headers and in subprotocols are replaced by the client's values. */
  url: string;
  subprotocols: readonly string[];
  headers: Readonly<Record<string, string>>;
  numberOf(client: number): number;
  /** Left out if a client has only its number. */
  valuesOf?(client: number): ClientValues;
  /** Source addresses. Client i takes number i modulo their count. Empty leaves the choice to the kernel. */
  localAddresses: readonly string[];
  /** PEM text of certificate authorities trusted beside the system's. */
  caPem?: string | undefined;
  isInsecure: boolean;
  /** Keys with their certificates in PEM, which clients show: identity i shows number i modulo their count. */
  identities?: readonly string[];
  /** The TLS sessions that clients offer to resume: the newest of all clients, or that of their identity. */
  tlsResume?: 'none' | 'shared' | 'own';
  /** HTTP proxy, as of `proxyIn`. Left out if clients connect to the target themselves. */
  proxy?: string | undefined;
  /** Most clients that share an HTTP/2 connection. Left out over HTTP/1.1. Only for the engine in JavaScript. */
  clientsPerHttp2?: number | undefined;
  connectTimeoutMs: number;
  /** Left out if permessage-deflate is not offered. */
  compression?: CompressionOffer | undefined;
  /** Number of clients. Ids run from 0 to capacity - 1. */
  capacity: number;
  scan: ScanRule;
  /** Texts that are answered without the sink. */
  replies?: readonly Reply[];
}

/** What one connection requests in place of its setup's path, headers and subprotocols. It has no slots. */
export interface OpenRequest {
  pathAndQuery: string;
  headers: Readonly<Record<string, string>>;
  subprotocols: readonly string[];
  /** Number whose certificate and TLS sessions it uses. Left out, it is the client. */
  identity?: number;
}

/** Bits of `DeliveryBatch.flags`. */
export const deliveryFlag = {
  /** Not the first frame of its socket read (over TLS: of its record), so its stamp is an upper bound. */
  coalesced: 1,
  /** The message came in several frames or several reads. */
  fragmented: 2,
  /** Stamped when it was read, not by the kernel. */
  unstamped: 4,
  /** The wall clock of the kernel's stamps was set meanwhile. */
  clockStepped: 8,
} as const;

/**
 * Holds deliveries in the order of their reading. The arrays are reused: a batch is valid only during the call. Each
 * delivery arrived after `notBeforeNs`, and at `receivedAtNs` at the latest. The difference bounds the delay that the
 * rig added.
 */
export interface DeliveryBatch {
  count: number;
  client: Int32Array;
  sequence: Int32Array;
  /** CLOCK_MONOTONIC in nanoseconds since the process's time origin (`clock.nowNs`). */
  receivedAtNs: Float64Array;
  /**
   * The earliest time at which the frame can have been in our kernel buffers. Equals `receivedAtNs` for an exact stamp.
   * Otherwise it is the last moment at which the socket, or the loop, is known to have had nothing.
   */
  notBeforeNs: Float64Array;
  flags: Uint8Array;
}

/** A text that is written in place. Its state is that of its next send, so it is written at most once, and at once. */
export interface TextWriter {
  /** Length of the text in bytes, at most. */
  readonly mostBytes: number;
  /** Writes the text as UTF-8 at a place that has room. Returns its length in bytes. */
  write(into: Uint8Array, at: number): number;
  toString(): string;
}

/** A message of text or of bytes. */
export type SendMessage = string | Uint8Array | TextWriter;

/** Returns the text or the bytes of a message. */
export function wholeMessage(message: SendMessage): string | Uint8Array {
  return typeof message === 'string' || message instanceof Uint8Array ? message : String(message);
}

/** Values of `SendBatch.fate`. `gone`: the client was not connected. `unread`: `mostUnsentBytes` waited already. */
export const sendFate = { sent: 0, gone: 1, unread: 2 } as const;

/**
 * Reports the fates of sends that were handed over ahead, in the order in which they left. The arrays are reused: a
 * batch is valid only during the call. Each send comes before any delivery that answers it.
 */
export interface SendBatch {
  count: number;
  client: Int32Array;
  /** The tokens given to `sendAt`. */
  token: Int32Array;
  /** Times just before the write, on the clock of deliveries. */
  sentAtNs: Float64Array;
  /** Times just after it, or 0 if the kernel did not take all of it at once. */
  writtenAtNs: Float64Array;
  fate: Uint8Array;
}

/** Why a connection failed or ended: a kind of `causeKinds`, some with `:detail` (`http-status:503`). */
export type Cause = string;

/** Every kind of cause and its meaning. */
export const causeKinds = {
  'http-status': 'the target answered the upgrade with this HTTP status instead of 101',
  'bad-upgrade': 'the 101 answer broke RFC 6455 (accept key, subprotocol, header size)',
  'connect-refused': 'TCP connect refused: nothing listens there, or the accept queue overflowed',
  'connect-timeout': 'no open WebSocket within the connect timeout',
  'ports-exhausted': 'no free source port (EADDRNOTAVAIL)',
  'source-address': 'this machine does not have the --local-address (EADDRNOTAVAIL of bind)',
  'descriptors-exhausted': 'this process has no free file descriptor (EMFILE, ENFILE)',
  tls: 'the TLS handshake failed; the detail is its code',
  proxy: 'the proxy did not connect to the target; the detail is its HTTP status',
  network: 'another socket error; the detail is its code',
  reset: 'the connection was reset (ECONNRESET, EPIPE)',
  'end-of-stream': 'TCP ended without a WebSocket close frame',
  'close-code': 'the target sent a close frame with this code',
  'protocol-error': 'the target broke RFC 6455; the detail says how',
  rejected: 'the protocol refused the session or the subscription; the detail is its reason',
  'login-failed': 'the client could not log in, so it did not connect; the detail says why',
  'bad-value': 'a value of the client does not fit into the header that the detail names, so it did not connect',
  'answer-timeout': 'no answer to a publish or a login in time',
  'subscribe-timeout': 'no confirmation of the subscription in time',
  'heartbeat-timeout': 'the heartbeat of the protocol did not come',
  unread: 'not sent: 1 MiB of the client waits for a target that does not read',
  gone: 'not sent: the client was not connected',
  ours: 'closed by us',
  other: 'one of more causes than a run tells apart',
} as const;

/** Time of a TLS handshake behind TCP, in nanoseconds, and the part of it that is at least the target's. */
export interface TlsLeg {
  tookNs: number;
  leastNs: number;
}

/** Receives the reports of a wire engine, on the worker's event loop. No call may throw. */
export interface WireSink {
  /**
   * The WebSocket is open. Times are in nanoseconds since the engine began to connect: TCP established, upgrade
   * answered. `tcpLeastNs` is the part of the first that is at least the target's. `tls` is given over TLS.
   */
  opened(client: number, tcpNs: number, upgradeNs: number, subprotocol: string, tcpLeastNs: number, tls?: TlsLeg): void;
  /** A whole message that is not a delivery. `bytes` is valid only during the call. */
  message(client: number, bytes: Uint8Array, isBinary: boolean): void;
  /** A pong, requested or not. `payload` is valid only during the call. */
  pong?(client: number, payload: Uint8Array): void;
  /** Called right before `closed` with the answer in place of 101, as far as it came. Valid during the call. */
  turnedAway?(client: number, answer: Uint8Array): void;
  /** A whole delivery, before its batch, for a sink that needs each one's bytes. Valid only during the call. */
  delivery?(client: number, bytes: Uint8Array, isBinary: boolean): void;
  /** A whole delivery, for sessions that track a position to resume from. An engine may leave out all but the last. */
  position?(client: number, bytes: Uint8Array, start: number, end: number): void;
  /** At the end of a turn, after its `message` and `closed` calls. */
  deliveries(batch: DeliveryBatch): void;
  /** The acknowledgements of the turn, if the scan rule finds them. Called before or after its deliveries. */
  acknowledgements?(batch: DeliveryBatch): void;
  /** Every send of `sendAt` once, whatever happens to its connection. */
  sends?(batch: SendBatch): void;
  /**
   * A connection attempt failed (`wasOpen` false) or an open connection ended. Exactly once per `open`. `code` and
   * `reason` are of the target's close frame: 1005 if that has no code, 1006 and empty without a frame.
   */
  closed(client: number, cause: Cause, wasOpen: boolean, code: number, reason: string): void;
}

/** A connection ends by TCP reset, by WebSocket close, or half open and unread (a phone that leaves the WiFi). */
export type DropMode = 'reset' | 'close' | 'vanish';

/** Counts of an engine. `exact + bracketed + unstamped` are all deliveries and acknowledgements that it handed over. */
export interface EngineStats {
  /** Reads of sockets that brought bytes. */
  reads: number;
  /** Those with a kernel receive timestamp of their own frame. */
  exact: number;
  /** Those between the last read that drained the socket and a kernel receive timestamp. */
  bracketed: number;
  /** Those stamped when they were read. */
  unstamped: number;
  clockSteps: number;
  /** TLS handshakes by version: `TLSv1.3`, or `TLSv1.3 resumed` for a resumed session. Left out without TLS. */
  handshakes?: Record<string, number>;
  /** Version of the OpenSSL that made them. */
  openssl?: string;
  /** Native threads, their CPU time, and how long they were ready to run without a core. */
  loops: number;
  cpuNs: number;
  coreWaitNs: number;
  /** If compression is offered: connections whose target chose it, and the bytes of their messages as they came. */
  compressedClients?: number;
  deflatedBytes?: number;
  inflatedBytes?: number;
  /** The parameters that a target first chose. */
  chosen?: string;
}

/** A set of WebSocket connections of one engine. */
export interface Engine {
  /**
   * Starts a connection, which ends in `opened` or `closed`. A closed id may be opened again. Throws a `TypeError` for
   * a wrong path or header of `request`.
   */
  open(client: number, request?: OpenRequest): void;
  /** Returns false if the client is not open, or `mostUnsentBytes` wait. `isData` marks a send that `unsent` counts. */
  send(client: number, message: string | Uint8Array, isData?: boolean): boolean;
  /**
   * Hands over a send of the run that leaves at `dueNs` or right after it, even if this event loop is busy. The engine
   * gets it at the end of the running callback. The sink gets its report. Returns false if the client is not open, or
   * too many sends are under way. Left out by an engine without threads.
   */
  sendAt?(client: number, message: SendMessage, dueNs: number, token: number): boolean;
  /** Sends a ping of at most 125 bytes. Ignored if the client is not open, or its target reads too little. */
  ping(client: number, payload: Uint8Array): void;
  /** Returns how long, at least, the target took for all its answers since `open`, in nanoseconds. */
  leastNs(client: number): number;
  /**
   * Returns the arrival time of the client's message that the sink is receiving, on the clock of deliveries. It is the
   * kernel's stamp, or the time of the read without one. Call it during `message`, `delivery` or `deliveries`.
   */
  arrivedAtNs(client: number): number;
  /** Returns the earliest time at which that can have been in our kernel buffers, as `DeliveryBatch.notBeforeNs`. */
  notBeforeNs(client: number): number;
  /**
   * Lets an open client read so many bytes at most from now on, or any number for `Infinity`. The engine in JavaScript
   * reads up to 64 KiB at once and counts an excess against later calls. It sees no end of TCP while it may not read.
   */
  readAtMost(client: number, bytes: number): void;
  /** Returns how many bytes wait to be sent. */
  buffered(client: number): number;
  /** Returns how many accepted sends of the run never left this process: they wait, or their connection ended. */
  unsent(client: number): number;
  /**
   * Sends a close frame behind all that waits, without a code for 1005. Messages go on until the target's close frame,
   * or for 5 s. Then `closed` gets the cause `ours`, and the id is free. One that is not open is dropped.
   */
  close(client: number, code: number, reason: string): void;
  /** Ends a connection. `closed` gets `cause` during the call. Ignored without a connection. */
  drop(client: number, mode: DropMode, cause?: Cause): void;
  /** Ends every connection. Deliveries not yet handed over are dropped, and no event follows. */
  dispose(): void;
  /**
   * Returns the time in nanoseconds when all bytes given to the client had left, or Infinity while some wait. Left out
   * by an engine that writes within `send`.
   */
  leftAtNs?(client: number): number;
  /** Returns how long native threads waited for this event loop to take what they had, in nanoseconds. */
  heldUpNs?(): number;
  stats(): EngineStats;
}
