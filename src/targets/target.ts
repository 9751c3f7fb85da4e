import { z } from 'zod';
import { outsideRecord, outsideText, outsideValue } from '../units/text.js';
import type { Availability } from './launch/programs.js';
import type { Runtime } from './needs/list.js';
import type { Need } from './needs/need.js';

/** Memory of a managed target in bytes: of each idle connection, without the kernel's part, and of each process. */
export interface Footprint {
  connection: number;
  process: number;
}

/** Private memory of an idle server on Node. */
const process = 10_000_000;

/**
 * Bytes per connection that `run idle` printed, and private memory of idle processes: Node 20, 2026-11-23. Targets that
 * are not named count as nothing: any real one has more.
 */
const measured: Readonly<Record<string, Footprint>> = {
  uws: { connection: 1000, process },
  ws: { connection: 8300, process },
  socketio: { connection: 15_700, process },
};

/** Returns the least memory that a target needs, as far as it was measured. */
export function footprintOf(target: string): Footprint {
  return measured[target] ?? { connection: 0, process: 0 };
}

export interface Address {
  host: string;
  /** Port of its first process. */
  port: number;
  /** Ports of all processes that serve clients, if each has its own. */
  ports?: readonly number[] | undefined;
}

export interface Endpoints {
  wsUrl: string;
  /** One address, or one for each process that has its own port. Clients spread over them evenly. */
  wsUrls: string[];
  /** `POST {"stream","data"}` publishes one broadcast. */
  publishUrl: string;
  /** `POST {"stream","ratePerSecond","data"}` has the target publish a batch by itself (servers/README.md). */
  inProcessUrl?: string;
  statsUrl?: string;
  metricsUrl?: string;
  /** Answers 200 once the target serves. With `tcp:`, the port only has to take a connection. */
  healthUrl: string;
}

const useShape = {
  pid: z.int().positive(),
  rssBytes: z.number().nonnegative(),
  cpuUserUs: z.number().nonnegative(),
  cpuSystemUs: z.number().nonnegative(),
};

const processShape = {
  ...useShape,
  connections: z.int().nonnegative(),
};

/** The answer of a target to `GET /_stats` (servers/README.md). Of several processes, the first answers for all. */
export const targetStats = z.object({
  ...processShape,
  /** Both are left out by a runtime that does not measure them, or has no event loop. */
  eventLoopDelayP99Ms: z.number().nonnegative().optional(),
  eventLoopUtilization: z.number().min(0).max(1).optional(),
  versions: z
    .record(z.string(), z.string())
    .overwrite((versions) => outsideRecord(versions, (version) => outsideText(version))),
  /** Every setting that differs from the library's default. */
  settings: z.record(z.string(), z.unknown()).overwrite((settings) => outsideRecord(settings, outsideValue)),
  /** Every process that serves clients, for a target that has several. The answering one comes first. */
  processes: z.array(z.object({ ...processShape, port: z.int().positive() })).optional(),
  /** Other programs of the target, as its redis-server. The sums have their memory and CPU. */
  besides: z.array(z.object({ ...useShape, program: z.string() })).optional(),
});

export type TargetStats = z.output<typeof targetStats>;
export type ProcessStats = NonNullable<TargetStats['processes']>[number];
export type BesideStats = NonNullable<TargetStats['besides']>[number];

export interface StartSettings {
  processes?: number | undefined;
  /** One for each process beyond the first. Free ports if left out. */
  furtherPorts?: readonly number[] | undefined;
  /** Time from the end of a further process to its replacement. If left out, the whole target ends with it. */
  reviveAfterMs?: number | undefined;
  options?: Readonly<Record<string, unknown>> | undefined;
}

/** Describes how to start a target as a process of this machine. */
export interface StartCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Folder of the start. Default: a folder without any configuration. */
  directory?: string | undefined;
}

/** Returns the number of ports of a target that take clients. */
export function clientPorts({ ports }: Pick<Target, 'ports'>, processes: number): number {
  return ports === undefined ? processes : 1;
}

/** A server under test: how to start it, reach it and publish through it. */
export interface Target {
  name: string;
  summary: string;
  protocol: string;
  availability(): Promise<Availability>;
  /** The needs that `ringside install` must have brought. */
  needs?: readonly Need[];
  /** Returns the same target on another runtime, if it runs on Node. */
  on?: (runtime: Runtime) => Target;
  /** Number of processes by default; 1 if left out. */
  minProcesses?: number;
  maxProcesses: number;
  /** `shared` by all processes, or `split` in one for HTTP and one for clients. By default one for each process. */
  ports?: 'shared' | 'split';
  canRevive?: true;
  /** Verbs of its protocol that it lacks. */
  lacks?: readonly string[];
  /** No application lives in it, so redeploying the application does not restart it. */
  isApart?: true;
  options?: z.ZodObject;
  /** The user's own server: it takes the port that it is given, and keeps no contract of servers/README.md. */
  isBrought?: true;
  /** It makes faults on command and records them. It tests the rig and is no contestant. */
  isKnownTruth?: true;
  /** Returns the command that serves in the foreground until a signal: one process unless `settings` say more. */
  start(address: { host: string; port: number }, settings?: StartSettings): StartCommand;
  endpoints(address: Address): Endpoints;
  /** Settings that differ from the server's defaults, if it has no stats to report them. */
  settings: Record<string, unknown>;
}

export function fewestProcesses({ minProcesses = 1 }: Pick<Target, 'minProcesses'>): number {
  return minProcesses;
}
