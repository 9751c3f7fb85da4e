import type { Cause, DeliveryBatch, DropMode, Engine, SendBatch, WireSetup, WireSink } from '../wire/wire.js';

/** A socket that a client of a flow opens. */
export interface SocketRequest {
  url: URL;
  subprotocols: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** Set if messages with a mark go to `events.message`, too. */
  seesMarked: boolean;
  /** Number of the client within its worker. Batches name it, too. */
  client: number;
  events: SocketEvents;
}

/** Receives the events of one socket, during the dispatch of the engine. No call may throw. */
export interface SocketEvents {
  /** Durations in nanoseconds, as in `WireSink.opened`. `leastNs` is the part of both that is at least the target's. */
  opened(subprotocol: string, times: { tcpNs: number; upgradeNs: number; leastNs: number }): void;
  /** `bytes` is valid only during the call. The message arrived between the two instants of the engine's clock. */
  message(bytes: Uint8Array, isBinary: boolean, receivedAtNs: number, notBeforeNs: number): void;
  /** `code` and `reason` are of the target's close frame; 1006 and empty without one. */
  closed(cause: Cause, wasOpen: boolean, code: number, reason: string): void;
}

/** One socket of a client on an engine. */
export interface FlowSocket {
  /** Returns false if the socket is not open, or 1 MiB waits. */
  send(message: string | Uint8Array): boolean;
  /** True if the engine sends at an instant by itself. */
  readonly sendsAhead: boolean;
  /** Hands over a send that leaves at `dueNs`. Returns false if it can't. `SocketMeans.sends` reports it with `token`. */
  sendAt(message: string | Uint8Array, dueNs: number, token: number): boolean;
  ping(payload: Uint8Array): void;
  /** Sends a close frame. Messages go on until the target's close frame, or for 5 s. */
  close(code: number, reason: string): void;
  drop(mode: DropMode, cause?: Cause): void;
  /** Bytes that wait to be sent. */
  readonly buffered: number;
  /** Returns when all bytes given to the socket had left, in nanoseconds; Infinity while that is unknown. */
  leftAtNs(): number;
}

/** What the sockets of a worker need. */
export interface SocketMeans {
  /** All of a setup that the sockets of one worker share. */
  shared: Pick<WireSetup, 'localAddresses' | 'caPem' | 'isInsecure' | 'connectTimeoutMs' | 'scan'>;
  /** Number of clients, for the size of an engine. */
  clientCount: number;
  /** Number in the whole run of this worker's client 0. */
  firstClient: number;
  createEngine(isTls: boolean, setup: WireSetup, sink: WireSink): Engine;
  /** Deliveries found by their mark. `client` is the number of the client within the worker. */
  deliveries(batch: DeliveryBatch): void;
  sends(batch: SendBatch): void;
}
