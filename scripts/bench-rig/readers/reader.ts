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

/** Names the engines that hold the sockets of Ringside's wire clients. */
export const wireEngines = ['js', 'native'] as const satisfies readonly EngineName[];

export type { EngineName };

/** Returns the reason why an engine can't run here, or undefined if it can. */
export async function engineLack(engine: EngineName): Promise<string | undefined> {
  if (engine === 'js') return undefined;
  const here = await engineHere();
  return here.name === 'js' ? here.why : undefined;
}

/** Returns the load of a job whose clients use this engine. */
export function loadOf(engine: EngineName): NonNullable<JobRequest['load']> {
  return { client: 'wire', engine };
}

/** Returns the counts of the only engine of a shard. Throws if it is another engine. */
export function statsOf({ rig: { engines = [] } }: ShardResult, asked: EngineName): EngineUse {
  const [use] = engines;
  if (use?.name !== asked) throw new Error(`the ${use?.name} engine ran in place of the ${asked} one`);
  return use;
}

const compiler = 'cc';
const flags = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-pthread'];

/** Returns the folder of the bench's sources that are not TypeScript. They are not compiled into `dist`. */
export function sourcesOf(folder: string): string {
  return packageFile('scripts/bench-rig', folder);
}

/** Runs `work` with the path of the floor, compiled into a temporary folder, or with the reason why it is missing. */
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

/** Describes an audience and its broadcasts. */
export interface Load {
  subscribers: number;
  /** Broadcasts that are not measured. They compile the hot path. */
  warmUp: number;
  broadcasts: number;
  ratePerSecond: number;
}

/** Describes the target and the signal for a reader. */
export interface Place {
  target: RunningTarget;
  signal: AbortSignal;
}

/** Describes a reader's figures for the broadcasts of its load, and their cost. */
export interface Delivered extends Round {
  /** Counts the reader's stamps of each kind (`EngineStats`). */
  stamps?: { exact: number; bracketed: number; unstamped: number } | undefined;
  /** The p99 of the measured deliveries' latencies by the reader's report. Undefined if it reports none. */
  p99Ms?: number | undefined;
  /** The stream, and the send times of its measured broadcasts in microseconds of CLOCK_MONOTONIC modulo 2^32. */
  sent: { stream: string; atUs: Uint32Array };
}

/** Describes a process with open clients, all subscribed. */
export interface Held {
  pid: number;
  /** Address of its inspector, through which it can be made to collect its garbage. */
  inspector?: string | undefined;
  /** Broadcasts the load once and waits until all has arrived. Throws if a delivery is missing. */
  deliver(): Promise<Delivered>;
}

/** Describes a program that holds subscribers: an engine of Ringside, the floor or a peer. */
export interface Reader {
  name: string;
  /** Runs `work` with a fresh process that holds the subscribers of a load. */
  with<T>(place: Place, load: Load, work: (held: Held) => Promise<T>): Promise<T>;
}

/** Describes why a reader can't run on this machine, and how to install it. */
export interface Missing {
  name: string;
  lack: string;
}

/** Returns true if a reader can run here. */
export function isHere(reader: Reader | Missing): reader is Reader {
  return !('lack' in reader);
}
