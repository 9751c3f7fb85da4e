import type { z } from 'zod';

/** Where a target listens. */
export interface Address {
  host: string;
  /** Of its first process. */
  port: number;
  /** Of all its processes that serve clients, where each has a port of its own. */
  ports?: readonly number[] | undefined;
}

/** Where a running target is reached. */
export interface Endpoints {
  /** WebSocket address; the first of `wsUrls`. */
  wsUrl: string;
  /** One address, or one for each process that has a port of its own; clients are to be spread over them evenly. */
  wsUrls: string[];
  /** `POST {"stream","data"}` publishes one broadcast. */
  publishUrl: string;
  /** `POST {"stream","ratePerSecond","data"}` has the target publish a batch by itself, where it offers that (servers/README.md). */
  inProcessUrl?: string;
  /** `GET` answers `TargetStats`, where the target offers it. */
  statsUrl?: string;
  /** `GET` answers Prometheus metrics, where the target offers them. */
  metricsUrl?: string;
  /** `GET` answers 200 once the target serves. */
  healthUrl: string;
}

/** One process of a target that runs as several. */
export interface ProcessStats {
  pid: number;
  port: number;
  rssBytes: number;
  cpuUserUs: number;
  cpuSystemUs: number;
  connections: number;
}

/** What `GET /_stats` of a target answers (servers/README.md). Of several processes, the first answers for all. */
export interface TargetStats {
  /** Of the process that answers. */
  pid: number;
  rssBytes: number;
  cpuUserUs: number;
  cpuSystemUs: number;
  connections: number;
  eventLoopDelayP99Ms: number;
  eventLoopUtilization: number;
  /** Names and versions of the server library and runtime. */
  versions: Record<string, string>;
  /** Every setting that differs from the library's default. */
  settings: Record<string, unknown>;
  /** Every process of the target, the answering one first; only where there are several. */
  processes?: ProcessStats[] | undefined;
}

/** What a target is started with. */
export interface StartSettings {
  processes?: number | undefined;
  /** Ports of the processes beyond the first, one for each; free ones where they are left out. */
  furtherPorts?: readonly number[] | undefined;
  /** How long after the end of a further process another one takes its port; where it is left out the whole target ends with it. */
  reviveAfterMs?: number | undefined;
  /** Values of the target's own `options`, by key. */
  options?: Readonly<Record<string, unknown>> | undefined;
}

/** How to start a target as a process of this machine. */
export interface StartCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** Whether a target can be started here; a scoreboard prints `why` in its row otherwise. */
export type Availability = { isAvailable: true; version: string } | { isAvailable: false; why: string; hint: string };

/** A server under test: how to start it, reach it and publish through it. Pure but for `availability`, and for the search of a binary in `start`. */
export interface Target {
  name: string;
  summary: string;
  /** Name of the protocol its clients speak. */
  protocol: string;
  availability(): Promise<Availability>;
  /** As how many processes it can run; 1 for one that can't be several. */
  maxProcesses: number;
  /** Set where its further processes can be revived one by one. */
  canRevive?: true;
  /** Set for a server that no application lives in: a redeploy of the application is none of the target. */
  isApart?: true;
  /** What it can be told when it is started, declared as every option is; one without takes none. */
  options?: z.ZodObject;
  /** Set for a target that does wrong by order and keeps a record of it: it judges the rig, and is no contestant. */
  isKnownTruth?: true;
  /** The command that serves on `host:port` in the foreground until it is signalled, as one process and with the defaults unless `settings` say more. */
  start(address: { host: string; port: number }, settings?: StartSettings): StartCommand;
  endpoints(address: Address): Endpoints;
  /** Settings that differ from the defaults of the server, for targets that can't say so themselves. */
  settings: Record<string, unknown>;
}
