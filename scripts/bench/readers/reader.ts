import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { onPath } from '../../../src/targets/launch/programs.js';
import { packageFile } from '../../../src/units/package-files.js';
import { engineHere } from '../../../src/wire/choice.js';
import { withDirectory } from '../processes/program.js';
import { isHere, type Missing, type Round, type Side } from '../rounds.js';

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
  target: Pick<RunningTarget, 'target' | 'endpoints'>;
  signal: AbortSignal;
}

/** Describes a reader's figures for the broadcasts of its load, and their cost. */
export interface Delivered extends Round {
  /** Counts the reader's stamps of each kind. */
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

/** Returns a reader as a side of a comparison: what it costs to receive a load. */
export function deliverySide(reader: Reader | Missing, place: Place, load: Load): Side<Delivered> | Missing {
  if (!isHere(reader)) return reader;
  return { name: reader.name, round: () => reader.with(place, load, (held) => held.deliver()) };
}

/** Returns the reason why the native engine can't run here, or undefined if it can. */
export async function nativeLack(): Promise<string | undefined> {
  const here = await engineHere();
  return here.name === 'js' ? here.why : undefined;
}

/** Returns a file or folder of the bench's sources that are not TypeScript. They are not compiled into `dist`. */
export function benchSource(path: string): string {
  return packageFile('scripts/bench', path);
}

/**
 * Runs `work` with a program that a compiler writes to a temporary folder, or with the reason why it is missing.
 * `command` takes the program's path and runs in the folder of its sources.
 */
function withCompiled<T>(
  name: string,
  lackOfCompiler: string,
  folder: string,
  command: (program: string) => readonly [string, ...string[]],
  work: (program: string | Missing) => Promise<T>,
): Promise<T> {
  return withDirectory(async (directory) => {
    const program = join(directory, 'program');
    const [compiler, ...args] = command(program);
    if (onPath(compiler) === undefined) return work({ name, lack: lackOfCompiler });
    const { failed, stderr } = await execa(compiler, args, { cwd: benchSource(folder), reject: false });
    return work(failed ? { name, lack: `${compiler}: ${stderr.split('\n')[0]}` } : program);
  });
}

const flags = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-pthread'];

/** Runs `work` with the path of the floor. `folder` has its sources. */
export function withFloor<T>(work: (floor: string | Missing) => Promise<T>, folder = 'floor'): Promise<T> {
  const files = readdirSync(benchSource(folder)).filter((name) => name.endsWith('.c'));
  const lack = 'needs a C compiler: apt-get install gcc libc6-dev';
  return withCompiled('floor', lack, folder, (program) => ['cc', ...flags, '-o', program, ...files], work);
}

/** Runs `work` with the path of subscribers on gorilla/websocket. */
export function withGorilla<T>(name: string, work: (gorilla: string | Missing) => Promise<T>): Promise<T> {
  const lack = 'needs Go: apt-get install golang-go';
  const build = (program: string) => ['go', 'build', '-mod=readonly', '-o', program, '.'] as const;
  return withCompiled(name, lack, 'peers/gorilla', build, work);
}
