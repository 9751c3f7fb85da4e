import type { RunningTarget } from '../../../src/targets/launch/process.js';
import type { Round } from '../rounds.js';

/** An audience, and what is broadcast to it. */
export interface Load {
  subscribers: number;
  /** Broadcasts that are not measured: they compile the hot path. */
  warmUp: number;
  broadcasts: number;
  ratePerSecond: number;
}

/** Where a reader works. */
export interface Place {
  target: RunningTarget;
  signal: AbortSignal;
}

/** What a reader says of the broadcasts of its load, and what they cost it. */
export interface Delivered extends Round {
  /** How many stamps of the reader's are of which kind (`EngineStats`). */
  stamps?: { exact: number; bracketed: number; unstamped: number } | undefined;
  /** The p99 of the latencies of measured deliveries that the reader reports; undefined if it reports none. */
  p99Ms?: number | undefined;
  /** The stream, and when its measured broadcasts were sent, in microseconds of CLOCK_MONOTONIC modulo 2^32. */
  sent: { stream: string; atUs: Uint32Array };
}

/** A process with open clients, all subscribed. */
export interface Held {
  pid: number;
  /** The address of its inspector, by which it is made to collect its garbage. */
  inspector?: string | undefined;
  /** Broadcasts the load, once, and waits until all has arrived. Throws if something is missing. */
  deliver(): Promise<Delivered>;
}

/** A program that holds subscribers: an engine of Ringside, the floor or a peer. */
export interface Reader {
  name: string;
  /** Runs `work` with a fresh process that holds the subscribers of a load. */
  with<T>(place: Place, load: Load, work: (held: Held) => Promise<T>): Promise<T>;
}

/** Why a reader cannot run on this machine, and what would bring it. */
export interface Missing {
  name: string;
  lack: string;
}

/** Whether a reader can run here. */
export function isHere(reader: Reader | Missing): reader is Reader {
  return !('lack' in reader);
}
