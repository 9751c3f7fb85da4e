/** Where a running target is reached. */
export interface Endpoints {
  /** WebSocket address. */
  wsUrl: string;
  /** `POST {"stream","data"}` publishes one broadcast. */
  publishUrl: string;
  /** `GET` answers `TargetStats`, where the target offers it. */
  statsUrl?: string;
  /** `GET` answers 200 once the target serves. */
  healthUrl: string;
}

/** What `GET /_stats` of a target answers (servers/README.md). */
export interface TargetStats {
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
  /** The command that serves on `host:port` in the foreground until it is signalled. */
  start(address: { host: string; port: number }): StartCommand;
  endpoints(address: { host: string; port: number }): Endpoints;
  /** Settings that differ from the defaults of the server, for targets that can't say so themselves. */
  settings: Record<string, unknown>;
}
