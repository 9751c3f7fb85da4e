/**
 * What the rest of Ringside knows of the wire room: clients are small integers, deliveries leave in batches.
 * A native twin (kernel receive stamps, no object per client) can stand behind the same interface.
 */

/** Where a delivery's sequence number stands in a message: `sequenceDigits` ASCII digits, `sequenceOffset` bytes after the start of `marker`. */
export interface ScanRule {
  marker: string;
  sequenceOffset: number;
  sequenceDigits: number;
  /** A text that stands in messages which repeat a sender's data to the sender, and in no delivery: such a message is an acknowledgement. */
  acknowledgement?: string | undefined;
  /** Whether a message with a sequence number is a delivery, where not each of them is. Must not allocate. */
  isDelivery?: ((bytes: Uint8Array, start: number, end: number) => boolean) | undefined;
}

/** How a wire engine reaches its target. */
export interface WireSetup {
  /** `ws://` or `wss://` address, path and query included. In the query and in headers `{client}` stands for the client's number. */
  url: string;
  subprotocols: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** The number in the whole run of a client of this engine. */
  numberOf(client: number): number;
  /** Source addresses to spread connections over, client i taking number i modulo their count; empty leaves the choice to the kernel. */
  localAddresses: readonly string[];
  /** PEM text of certificate authorities trusted beside the system's. */
  caPem?: string | undefined;
  /** Accept any certificate. Only ever by the user's explicit word. */
  isInsecure: boolean;
  /** TCP connect, TLS and upgrade together may take this long. */
  connectTimeoutMs: number;
  /** How many clients there will be: ids run from 0 to capacity - 1. */
  capacity: number;
  scan: ScanRule;
}

/** Bits of `DeliveryBatch.flags`. */
export const deliveryFlag = {
  /** Not the first frame of its socket read: its stamp is an upper bound. Over TLS a read is one record; frames in a later record of the same read go unflagged. */
  coalesced: 1,
  /** The message came in several frames or several reads. */
  fragmented: 2,
} as const;

/**
 * Deliveries of one turn of the event loop, in the order they were taken off the sockets. The arrays are reused: a batch is valid only during the call.
 *
 * `readableFromNs` is the earliest instant at which any of these frames can have been waiting in our own kernel buffers unseen: the moment this
 * turn's poll returned when the loop had slept before it, otherwise the poll of the turn before. `receivedAtNs - readableFromNs` is therefore an
 * upper bound of what the rig itself added to a delivery.
 */
export interface DeliveryBatch {
  count: number;
  readableFromNs: number;
  client: Int32Array;
  sequence: Int32Array;
  /** CLOCK_MONOTONIC in nanoseconds since the process's time origin (`clock.nowNs`). */
  receivedAtNs: Float64Array;
  flags: Uint8Array;
}

/** Why a connection attempt failed or an open connection ended: a kind of `causeKinds`, with `:detail` where there is one (`http-status:503`, `close-code:1006`). */
export type Cause = string;

/** Every kind of cause a client can report, with what it means. */
export const causeKinds = {
  'http-status': 'the target answered the upgrade with this HTTP status instead of 101',
  'bad-upgrade': 'the 101 answer broke RFC 6455 (accept key, subprotocol, header size)',
  'connect-refused': 'TCP connect refused: nothing listens there, or the accept queue overflowed',
  'connect-timeout': 'no open WebSocket within the connect timeout',
  'ports-exhausted': 'no free source port (EADDRNOTAVAIL)',
  'source-address': 'the address of --local-address is none of this machine (EADDRNOTAVAIL of bind)',
  'descriptors-exhausted': 'this process has no free file descriptor (EMFILE, ENFILE)',
  tls: 'the TLS handshake failed; the detail is its code',
  network: 'another socket error; the detail is its code',
  reset: 'the connection was reset (ECONNRESET, EPIPE)',
  'end-of-stream': 'TCP ended without a WebSocket close frame',
  'close-code': 'the target sent a close frame with this code',
  'protocol-error': 'the target broke RFC 6455; the detail says how',
  rejected: 'the application protocol refused the session or the subscription; the detail is its word',
  'answer-timeout': 'no answer to a publish in time',
  'subscribe-timeout': 'no confirmation of the subscription in time',
  'heartbeat-timeout': 'the heartbeat that the protocol promises stayed away',
  unread: 'not sent: the target reads so little that 1 MiB of the client waits to be sent',
  gone: 'not sent: the client was not connected',
  ours: 'closed by us',
  other: 'one of more causes than a run tells apart',
} as const;

/** What a wire engine tells its user. Called on the worker's event loop; no call may throw. */
export interface WireSink {
  /** The WebSocket is open. Times are since the call of `open`, in nanoseconds: TCP (and TLS) established, upgrade answered. */
  opened(client: number, tcpNs: number, upgradeNs: number, subprotocol: string): void;
  /** A whole message that is no delivery: the protocol's own talk. `bytes` is valid only during the call. */
  message(client: number, bytes: Uint8Array, isBinary: boolean): void;
  /** A whole delivery, for sessions that track a position (offset, epoch) to resume from. Called only when the setup's user asked for it. */
  position?(client: number, bytes: Uint8Array, start: number, end: number): void;
  /** Comes at the end of a turn, so after a `message` or `closed` of the same turn. */
  deliveries(batch: DeliveryBatch): void;
  /** The acknowledgements of the turn, where the scan rule tells them; before or after its deliveries. */
  acknowledgements?(batch: DeliveryBatch): void;
  /** A connection attempt failed (`wasOpen` false) or an open connection ended. Exactly once per `open`. */
  closed(client: number, cause: Cause, wasOpen: boolean): void;
}

/** How a connection is made to end from our side: TCP reset, WebSocket close handshake, or left half open and unread (a phone that leaves the WiFi). */
export type DropMode = 'reset' | 'close' | 'vanish';

/** A set of WebSocket connections of one event loop. */
export interface WireEngine {
  /** Starts a connection; ends in `opened` or `closed`. An id may be opened again after it closed. */
  open(client: number): void;
  /**
   * Sends one masked message: text, or bytes as a binary one. False if the client is not open or `mostUnsentBytes` wait
   * already. `isData` marks a send of the run, which `unsent` counts.
   */
  send(client: number, message: string | Uint8Array, isData?: boolean): boolean;
  /** How many of the sends of the run that were taken for a client never left this process: they wait still, or their connection ended before. */
  unsent(client: number): number;
  /**
   * Ends a client's connection; `closed` says `cause`, by default `ours`, during the call, and the client can be opened
   * again. The socket waits for the target's answer to a `close` by itself, for a bounded time. Ignored when the client
   * has no connection. Over TLS a `reset` is a bare FIN.
   */
  drop(client: number, mode: DropMode, cause?: Cause): void;
  /** Ends every connection and frees the engine; deliveries not yet handed over are dropped, and no event follows. */
  dispose(): void;
}
