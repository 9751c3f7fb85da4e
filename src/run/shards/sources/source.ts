import type { EngineCommands } from '../../engines/engine-commands.js';

/** Port on which bench-runners of an engine listen, unless the engine reports another. */
export const benchRunnerPort = 8080;

/** Holds the bench-runners that a source knows. */
export interface Found {
  /** URLs in the form that `--shard` accepts. */
  urls: string[];
  /** Bench-runners without an address yet, each with the reason. */
  pending: string[];
}

/** A source of addresses of bench-runners. */
export interface ShardSource {
  name: string;
  /** Description of the lookup, for the table in the docs. */
  asks: string;
  /** Argument that may follow the name after a colon. */
  argument: { word: string; means: string; isNeeded?: boolean };
  /** Advice for a source that can't be asked. */
  hint: string;
  /** Asks the source. Throws `CommandFailed`, or any other `Error` for an answer that can't be read. */
  find(argument: string | undefined, engine: EngineCommands): Promise<Found>;
}

/** Returns the URL of a bench-runner at an IP address or host name. */
export function urlAt(address: string, port: number): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Compares names by their trailing numbers: `shard-2` comes before `shard-10`. */
export function byNumber(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
