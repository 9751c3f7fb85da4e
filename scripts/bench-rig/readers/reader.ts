import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EngineUse } from '../../../src/contract/engine.js';
import type { JobRequest } from '../../../src/contract/job.js';
import type { ShardResult } from '../../../src/contract/shard.js';
import { onPath } from '../../../src/targets/launch/on-path.js';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { packageFile } from '../../../src/units/package-files.js';
import { type EngineName, engineHere } from '../../../src/wire/choice.js';
import { withDirectory } from '../processes/places.js';
import type { Round } from '../rounds.js';

/** The engines that hold the sockets of Ringside's wire clients. */
export const wireEngines = ['js', 'native'] as const satisfies readonly EngineName[];

export type { EngineName };

/** Why an engine cannot run here; undefined if it can. */
export async function engineLack(engine: EngineName): Promise<string | undefined> {
  if (engine === 'js') return undefined;
  const here = await engineHere();
  return here.name === 'js' ? here.why : undefined;
}

/** The load of a job whose clients are of this engine. */
export function loadOf(engine: EngineName): NonNullable<JobRequest['load']> {
  return { client: 'wire', engine };
}

/** What the only engine of a shard counted. Throws if it is another one. */
export function statsOf({ rig: { engines = [] } }: ShardResult, asked: EngineName): EngineUse {
  const [use] = engines;
  if (use?.name !== asked) throw new Error(`the ${use?.name} engine ran in place of the ${asked} one`);
  return use;
}

const compiler = 'cc';
const flags = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-pthread'];

/** The sources of the bench, which lie beside TypeScript and are not compiled into `dist`. */
export function sourcesOf(folder: string): string {
  return packageFile('scripts/bench-rig', folder);
}

/** Runs `work` with the path of the floor, compiled into a temporary folder, or with why it is not here. */
export function withFloor<T>(work: (floor: string | Missing) => Promise<T>): Promise<T> {
  if (onPath(compiler) === undefined)
    return work({ name: 'floor', lack: `needs a C compiler: apt-get install gcc libc6-dev` });
  return withDirectory(async (directory) => {
    const sources = sourcesOf('floor');
    const files = readdirSync(sources).filter((name) => name.endsWith('.c'));
    const program = join(directory, 'floor');
    await promisify(execFile)(compiler, [...flags, '-o', program, ...files], { cwd: sources });
    return work(program);
  });
}

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
