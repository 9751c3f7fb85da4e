import type { ClientValues } from '../units/slots.js';

/** What a wire engine takes and reports: clients are small integers, deliveries leave in batches. */

/** A delivery's sequence number: `sequenceDigits` ASCII digits, `sequenceOffset` bytes after the start of `marker`. */
export interface ScanRule {
  marker: string;
  sequenceOffset: number;
  sequenceDigits: number;
  /** Text in messages that repeat a sender's data to the sender, and in no delivery: an acknowledgement. */
  acknowledgement?: string | undefined;
  /** Whether a message with a sequence number is a delivery, if not all are. Must not allocate. */
  isDelivery?: ((bytes: Uint8Array, start: number, end: number) => boolean) | undefined;
  /** Beginnings of messages that `isDelivery` takes for certain, which spares the question. */
  deliveryHeads?: readonly string[] | undefined;
}

/** A text of a target that is no news to a session, and what to say to it; without `send`, nothing. */
export interface Reply {
  received: string;
  /** Whether every text counts that begins so. */
  isPrefix?: boolean;
  send?: string;
}

/** How a wire engine reaches its target. */
export interface WireSetup {
  /** Address with path and query. Slots in it, in headers and in subprotocols stand for values of the client. */
  url: string;
  subprotocols: readonly string[];
  headers: Readonly<Record<string, string>>;
  numberOf(client: number): number;
  /** Left out where a client has nothing but its number. */
  valuesOf?(client: number): ClientValues;
  /** Source addresses, client i taking number i modulo their count; empty leaves the choice to the kernel. */
  localAddresses: readonly string[];
  /** PEM text of certificate authorities trusted beside the system's. */
  caPem?: string | undefined;
  isInsecure: boolean;
  connectTimeoutMs: number;
  /** Number of clients: ids run from 0 to capacity - 1. */
  capacity: number;
  scan: ScanRule;
  /** What is answered without the sink. */
  replies?: readonly Reply[];
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
 * Deliveries in the order of their reading. The arrays are reused: a batch is valid only during the call. Each arrived
 * after `notBeforeNs`, and at `receivedAtNs` at the latest: the difference bounds what the rig added.
 */
export interface DeliveryBatch {
  count: number;
  client: Int32Array;
  sequence: Int32Array;
  /** CLOCK_MONOTONIC in nanoseconds since the process's time origin (`clock.nowNs`). */
  receivedAtNs: Float64Array;
  /**
   * When the frame can have been in our kernel buffers at the earliest: equal to `receivedAtNs` for an exact stamp,
   * otherwise the last moment at which the socket, or the loop, is known to have had nothing.
   */
  notBeforeNs: Float64Array;
  flags: Uint8Array;
}

/** Values of `SendBatch.fate`. `gone`: the client was not connected. `unread`: `mostUnsentBytes` waited already. */
export const sendFate = { sent: 0, gone: 1, unread: 2 } as const;

/**
 * What became of sends that were handed over ahead, in the order in which they left. The arrays are reused: a batch is
 * valid only during the call. Each send comes before any delivery that answers it.
 */
export interface SendBatch {
  count: number;
  client: Int32Array;
  /** What `sendAt` was given. */
  token: Int32Array;
  /** Just before the write, on the clock of deliveries. */
  sentAtNs: Float64Array;
  /** Just after it; 0 if the kernel did not take all of it at once. */
  writtenAtNs: Float64Array;
  fate: Uint8Array;
}

/** Why a connection failed or ended: a kind of `causeKinds`, some with `:detail` (`http-status:503`). */
export type Cause = string;

/** Every kind of cause, with what it means. */
export const causeKinds = {
  'http-status': 'the target answered the upgrade with this HTTP status instead of 101',
  'bad-upgrade': 'the 101 answer broke RFC 6455 (accept key, subprotocol, header size)',
  'connect-refused': 'TCP connect refused: nothing listens there, or the accept queue overflowed',
  'connect-timeout': 'no open WebSocket within the connect timeout',
  'ports-exhausted': 'no free source port (EADDRNOTAVAIL)',
  'source-address': 'this machine does not have the --local-address (EADDRNOTAVAIL of bind)',
  'descriptors-exhausted': 'this process has no free file descriptor (EMFILE, ENFILE)',
  tls: 'the TLS handshake failed; the detail is its code',
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

/** What a wire engine reports, on the worker's event loop. No call may throw. */
export interface WireSink {
  /**
   * The WebSocket is open. Nanoseconds since the engine began to connect: TCP (and TLS) established, upgrade answered.
   * `tcpLeastNs`: how much of the first, at least, was the target's.
   */
  opened(client: number, tcpNs: number, upgradeNs: number, subprotocol: string, tcpLeastNs: number): void;
  /** A whole message that is not a delivery. `bytes` is valid only during the call. */
  message(client: number, bytes: Uint8Array, isBinary: boolean): void;
  /** A pong, asked for or not. `payload` is valid only during the call. */
  pong?(client: number, payload: Uint8Array): void;
  /** Right before `closed`: what an upgrade was answered in place of 101, as far as it came. Valid during the call. */
  turnedAway?(client: number, answer: Uint8Array): void;
  /** A whole delivery, for sessions that track a position to resume from. */
  position?(client: number, bytes: Uint8Array, start: number, end: number): void;
  /** At the end of a turn, after its `message` and `closed` calls. */
  deliveries(batch: DeliveryBatch): void;
  /** The acknowledgements of the turn, if the scan rule tells them; before or after its deliveries. */
  acknowledgements?(batch: DeliveryBatch): void;
  /** Every send of `sendAt` once, whatever becomes of its connection. */
  sends?(batch: SendBatch): void;
  /** A connection attempt failed (`wasOpen` false) or an open connection ended. Exactly once per `open`. */
  closed(client: number, cause: Cause, wasOpen: boolean): void;
}

/** How to end a connection: TCP reset, WebSocket close, or left half open and unread (a phone that leaves the WiFi). */
export type DropMode = 'reset' | 'close' | 'vanish';

/** What an engine counted. `exact + bracketed + unstamped` are all deliveries and acknowledgements it handed over. */
export interface EngineStats {
  /** Reads of sockets that brought bytes. */
  reads: number;
  /** With a kernel receive timestamp of its own frame. */
  exact: number;
  /** Between the last read that drained the socket and a kernel receive timestamp. */
  bracketed: number;
  /** Stamped when it was read. */
  unstamped: number;
  clockSteps: number;
  /** Native threads, what they used of the CPU, and how long they were ready to run without a core. */
  loops: number;
  cpuNs: number;
  coreWaitNs: number;
}

/** A set of WebSocket connections, whatever drives them. */
export interface Engine {
  /** Starts a connection, which ends in `opened` or `closed`. A closed id may be opened again. */
  open(client: number): void;
  /** False if the client is not open, or `mostUnsentBytes` wait. `isData` marks a send that `unsent` counts. */
  send(client: number, message: string | Uint8Array, isData?: boolean): boolean;
  /**
   * Hands over a send of the run that leaves at `dueNs` or right after it, whatever this event loop does then; the sink
   * hears of it. False if the client is not open, or too many are under way. Left out by an engine without threads.
   */
  sendAt?(client: number, message: string | Uint8Array, dueNs: number, token: number): boolean;
  /** Sends a ping of at most 125 bytes; ignored if the client is not open, or its target reads too little. */
  ping(client: number, payload: Uint8Array): void;
  /** How long, at least, the target took for all that it answered since `open`, in nanoseconds. */
  leastNs(client: number): number;
  /**
   * When what the sink is being told of the client came, on the clock of deliveries: by the kernel's stamp, without one
   * when it was read. Call it during the call of the sink.
   */
  arrivedAtNs(client: number): number;
  /** The earliest at which that can have been in our kernel buffers, as `DeliveryBatch.notBeforeNs`. */
  notBeforeNs(client: number): number;
  /** How many accepted sends of the run never left this process: they wait, or their connection ended. */
  unsent(client: number): number;
  /** `closed` says `cause` during the call. Ignored without a connection. */
  drop(client: number, mode: DropMode, cause?: Cause): void;
  /** Ends every connection; deliveries not yet handed over are dropped, and no event follows. */
  dispose(): void;
  /**
   * When all that the client was given to send had left, in nanoseconds; Infinity while something waits. Left out by an
   * engine that writes within `send`.
   */
  leftAtNs?(client: number): number;
  stats(): EngineStats;
}
