import type { DeliveryBatch, SendBatch } from '../wire.js';

/** An engine of the addon. */
export type Handle = object;

/** A ring of `DeliveryBatch` arrays that a native thread fills. */
export type DeliveryRing = Omit<DeliveryBatch, 'count'>;

/** The same of `SendBatch` arrays. */
export type ReportRing = Omit<SendBatch, 'count'>;

/** The ring of a thread's events, by columns; their bytes are in `arena`. */
export interface EventRing {
  kind: Uint8Array;
  flags: Uint8Array;
  generation: Uint8Array;
  client: Int32Array;
  offset: Uint32Array;
  length: Uint32Array;
  a: Float64Array;
  b: Float64Array;
  c: Float64Array;
  d: Float64Array;
  /** When it came. */
  e: Float64Array;
  /** Of a message that the arena has no room for. */
  address: Float64Array;
  arena: Uint8Array;
}

/** What a native thread hands over. */
export interface NativeLoop {
  deliveries: DeliveryRing;
  acknowledgements: DeliveryRing;
  reports: ReportRing;
  events: EventRing;
}

/** Bits of `replyFlags`. */
export const replyFlag = { toPrefix: 1, hasText: 2 } as const;

/** `struct setup` of native/src/engine.h; texts are bytes. */
export interface NativeSetup {
  targets: Uint8Array[];
  port: number;
  sources: Uint8Array[];
  /** The upgrade request up to the value of its key, cut where a client's number belongs. */
  request: Uint8Array[];
  subprotocols: Uint8Array[];
  marker: Uint8Array;
  sequenceOffset: number;
  sequenceDigits: number;
  acknowledgement: Uint8Array;
  /** Where a rule judges which messages are deliveries: beginnings of those that are for certain. */
  hasJudge: boolean;
  deliveryHeads: Uint8Array[];
  keepsPositions: boolean;
  /** Talk that is answered without a session, the answers, and the flags of each pair. */
  received: Uint8Array[];
  replies: Uint8Array[];
  replyFlags: Uint8Array;
  connectTimeoutMs: number;
  closeTimeoutMs: number;
  /** Of `clock.nowNs`, on CLOCK_MONOTONIC. */
  originNs: number;
  capacity: number;
  loops: number;
}

/** What native/src/addon.c exports. */
export interface NativeAddon {
  create(setup: NativeSetup, onWake: () => void): { handle: Handle; loops: NativeLoop[] };
  open(handle: Handle, client: number, number: number, generation: number): void;
  send(handle: Handle, client: number, message: string | Uint8Array, isData: boolean, generation: number): boolean;
  /** A send that leaves at its instant; `reports` has it then. */
  post(
    handle: Handle,
    client: number,
    message: string | Uint8Array,
    dueNs: number,
    token: number,
    generation: number,
  ): void;
  drop(handle: Handle, client: number, mode: number): void;
  /** When all that the client said had left; Infinity while something waits. */
  left(handle: Handle, client: number): number;
  /** How many of its sends of the run no write has ever begun with. */
  unsent(handle: Handle, client: number): number;
  /** How far each loop has published deliveries, acknowledgements and events, as counts modulo 2^32. */
  take(handle: Handle, heads: Uint32Array): void;
  /** How far each loop has published what became of posted sends. */
  reports(handle: Handle, heads: Uint32Array): void;
  /** How far those of `take` have been read. */
  done(handle: Handle, tails: Uint32Array): void;
  /** A message that the arena has no room for. Frees it: to be called once. */
  large(address: number, length: number): Uint8Array;
  /** `EngineStats` in the order of its members. */
  stats(handle: Handle, into: Float64Array): void;
  dispose(handle: Handle): void;
  /** For tests: as if the wall clock were set. */
  stepClock(handle: Handle, ns: number): void;
}

/** `enum event_kind`. */
export const eventKind = { opened: 1, text: 2, binary: 3, candidate: 4, position: 5, closed: 6 } as const;

/** Flags of events; those of a candidate's delivery stand `deliveryShift` bits above. */
export const eventFlag = { binary: 1, errno: 2, ofBind: 4, large: 8 } as const;
export const deliveryShift = 4;

/** `enum drop_mode`. */
export const dropModes = { reset: 0, close: 1, vanish: 2 } as const;
