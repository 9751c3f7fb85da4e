import type { z } from 'zod';
import type { Step, Talk } from '../measure/causes.js';
import type { ClientValues } from '../units/slots.js';
import type { EngineWork } from '../wire/choice.js';
import type { Cause, DeliveryBatch, DropMode, SendBatch, TlsLeg } from '../wire/wire.js';
import type { ProtocolDefinition, ProtocolValues, Verb } from './definition.js';
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

export { type Cause, type DeliveryBatch, type DropMode, type SendBatch, sendFate, type TlsLeg } from '../wire/wire.js';
export type {
  Batching,
  Marker,
  ProtocolValues,
  PublishRequest,
  Session,
  SessionSink,
  Verb,
} from './definition.js';

/** Receives the reports of clients of either kind. Times are in nanoseconds since the start of a connection. */
export interface ClientEvents {
  /** The WebSocket is open. `tcpLeastNs` of `tcpNs` is at least the target's. Both are NaN if a library hides them. */
  opened(client: number, tcpNs: number, upgradeNs: number, tcpLeastNs: number, tls?: TlsLeg): void;
  ready(client: number): void;
  subscribed(client: number, stream: string): void;
  /** An attempt failed (`wasOpen` false), or a connection ended. Once per `open`: no client reconnects. */
  closed(client: number, cause: Cause, wasOpen: boolean): void;
  resumed(client: number, wasRecovered: boolean): void;
  /** The pong of the client's last ping came. */
  ponged?(client: number): void;
  deliveries(batch: DeliveryBatch): void;
  acknowledgements?(batch: DeliveryBatch): void;
  /** Reports of sends that were handed over ahead, by their tokens. */
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
  /**
   * Sends data that returns as a delivery. Returns false if not open or `mostUnsentBytes` wait. Needs the verb. `sends`
   * reports one with a `dueNs` by its `token`, which is its sequence number by default.
   */
  echo?(client: number, sequence: number, dueNs?: number, token?: number): boolean;
  /** Sends data to every other subscriber of a stream that this client holds. */
  whisper?(client: number, stream: string, sequence: number, dueNs?: number, token?: number): boolean;
  broadcast?(client: number, stream: string, sequence: number, dueNs?: number): boolean;
  /** Returns how many accepted sends of a client never left this process. Undefined if a library does not report it. */
  unsent?(client: number): number;
  /** Lets a client read so many bytes at most from now on, or any number. Left out by libraries. */
  readAtMost?(client: number, bytes: number): void;
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

/** An application protocol: its wire session and its real client library. */
export interface Protocol extends ProtocolDefinition {
  /** Returns the options, in words, that remove a verb, and a hint. Undefined if these options leave the verb. */
  withoutVerb?(verb: Verb, options: ProtocolValues): { where: string; hint: string } | undefined;
  subprotocols: readonly string[];
  defaultPath: string | ((options: ProtocolValues) => string);
  library: string;
  /** Describes in words the progress of a client that stops at a step. */
  stuckAt?(options: ProtocolValues): Partial<Record<Step, string>>;
  /** The protocol's own options. All are optional. Keys and flags begin with the protocol's name. */
  options?: z.ZodObject;
  /** Returns a test for deliveries among messages with our marker. It must not allocate. Left out if all are. */
  deliveryTest?(options: ProtocolValues): (bytes: Uint8Array, start: number, end: number) => boolean;
  /** Returns beginnings of messages with our marker that are deliveries for certain. */
  deliveryHeads?(options: ProtocolValues): readonly string[];
  /** Texts of awaited messages by purpose, if users can write them. */
  awaited?: Readonly<Partial<Record<'ready' | 'subscribed' | 'acknowledged' | 'publish' | 'echo' | 'whisper', string>>>;
  /** Returns the protocol that these options describe. For a protocol that needs them. */
  described?(options: ProtocolValues): Protocol | undefined;
  /** Returns faults of these options together. `slots` are those beyond its own, or undefined if any may occur. */
  faults?(options: ProtocolValues, slots?: readonly string[]): readonly { key: string; text: string }[];
  /** Creates clients of the real library with its defaults. Loads the package on first use. */
  libraryClients(setup: LibrarySetup, events: ClientEvents): Promise<Clients>;
}

/** Wraps events. They pass through unchanged, and trails record the progress of each client. */
export function trailing(events: ClientEvents, trails: Trails): ClientEvents {
  return {
    ...events,
    opened: (client, ...times) => {
      trails.reached(client, 'opened');
      events.opened(client, ...times);
    },
    ready: (client) => {
      trails.reached(client, 'ready');
      events.ready(client);
    },
    subscribed: (client, stream) => {
      events.subscribed(client, stream);
      trails.settled(client);
    },
    closed: (client, cause, wasOpen) => {
      events.closed(client, cause, wasOpen);
      trails.settled(client);
    },
  };
}

const quote = 0x22;
const backslash = 0x5c;

/** Returns the opening quote of the JSON string that ends at `closing` (RFC 8259, 7), or -1 if before `from`. */
export function openingQuote(bytes: Uint8Array, from: number, closing: number): number {
  for (let at = closing - 1; at >= from; at--) {
    if (bytes[at] !== quote) continue;
    let slashes = 0;
    while (at - 1 - slashes >= from && bytes[at - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** Returns true if `word` is in `bytes` directly before `end`, and not before `from`. */
export function isBefore(bytes: Uint8Array, from: number, end: number, word: Uint8Array): boolean {
  const start = end - word.length;
  if (start < from) return false;
  for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word[i]) return false;
  return true;
}

/** Copies `from..end` of `source` to the start of `target`, without the view of `set(subarray)`. */
export function copyBytes(source: Uint8Array, from: number, end: number, target: Uint8Array): void {
  for (let i = from; i < end; i++) target[i - from] = source[i]!;
}
