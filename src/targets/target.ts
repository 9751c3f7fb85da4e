import { z } from 'zod';
import { outsideRecord, outsideText, outsideValue } from '../units/text.js';
import type { Need } from './needs/need.js';
import type { Runtime } from './runtimes.js';

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

/** What a target needs at least, as far as it was measured. */
export function footprintOf(target: string): Footprint {
  return measured[target] ?? { connection: 0, process: 0 };
}

/** Where a target listens. */
export interface Address {
  host: string;
  /** Of its first process. */
  port: number;
  /** Of all processes that serve clients, if each has its own. */
  ports?: readonly number[] | undefined;
}

/** Where a running target is reached. */
export interface Endpoints {
  wsUrl: string;
  /** One address, or one for each process that has its own port; clients spread over them evenly. */
  wsUrls: string[];
  /** `POST {"stream","data"}` publishes one broadcast. */
  publishUrl: string;
  /** `POST {"stream","ratePerSecond","data"}` has the target publish a batch by itself (servers/README.md). */
  inProcessUrl?: string;
  statsUrl?: string;
  metricsUrl?: string;
  /** Answers 200 once the target serves; of `tcp:`, the port is only asked for a connection. */
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

/** What `GET /_stats` of a target answers (servers/README.md). Of several processes, the first answers for all. */
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
  /** Every process that serves clients, of a target that has several; the answering one first. */
  processes: z.array(z.object({ ...processShape, port: z.int().positive() })).optional(),
  /** What else belongs to the target, as its redis-server. The sums have its memory and CPU. */
  besides: z.array(z.object({ ...useShape, program: z.string() })).optional(),
});

export type TargetStats = z.output<typeof targetStats>;
export type ProcessStats = NonNullable<TargetStats['processes']>[number];
export type BesideStats = NonNullable<TargetStats['besides']>[number];

/** What a target is started with. */
export interface StartSettings {
  processes?: number | undefined;
  /** One for each process beyond the first; free ports if left out. */
  furtherPorts?: readonly number[] | undefined;
  /** How long after its end a further process is replaced; if left out, the whole target ends with it. */
  reviveAfterMs?: number | undefined;
  options?: Readonly<Record<string, unknown>> | undefined;
}

/** How to start a target as a process of this machine. */
export interface StartCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Where it starts; by default a directory without any configuration. */
  directory?: string | undefined;
}

/** How many ports of a target take clients. */
export function clientPorts({ ports }: Pick<Target, 'ports'>, processes: number): number {
  return ports === undefined ? processes : 1;
}

/** Whether a target can be started here; if not, a scoreboard prints `why` in its row. */
export type Availability = { isAvailable: true; version: string } | { isAvailable: false; why: string; hint: string };

/** A server under test: how to start it, reach it and publish through it. */
export interface Target {
  name: string;
  summary: string;
  protocol: string;
  availability(): Promise<Availability>;
  /** What `ringside install` must have brought. */
  needs?: readonly Need[];
  /** The same target on another runtime, if it runs on Node. */
  on?: (runtime: Runtime) => Target;
  /** What it runs as if nobody asks for more; 1 if left out. */
  minProcesses?: number;
  maxProcesses: number;
  /** `shared` by all processes; or `split` in one for HTTP and one for clients. By default one for each process. */
  ports?: 'shared' | 'split';
  canRevive?: true;
  /** Verbs of its protocol that it lacks. */
  lacks?: readonly string[];
  /** No application lives in it, so redeploying the application does not restart it. */
  isApart?: true;
  options?: z.ZodObject;
  /** The user's own server: it takes the port that it is given, and keeps no contract of servers/README.md. */
  isBrought?: true;
  /** It does wrong on command and keeps a record of it: it judges the rig and is no contestant. */
  isKnownTruth?: true;
  /** The command that serves in the foreground until a signal: one process unless `settings` say more. */
  start(address: { host: string; port: number }, settings?: StartSettings): StartCommand;
  endpoints(address: Address): Endpoints;
  /** Settings that differ from the server's defaults, if it has no stats to tell them. */
  settings: Record<string, unknown>;
}

/** The number of processes that a target has if nobody asks for more. */
export function fewestProcesses({ minProcesses = 1 }: Pick<Target, 'minProcesses'>): number {
  return minProcesses;
}
