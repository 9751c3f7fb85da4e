import type { EngineCommands } from '../../engines/engine-commands.js';

/** The port on which bench-runners of an engine listen, unless the engine says another. */
export const benchRunnerPort = 8080;

/** The bench-runners that a source knows. */
export interface Found {
  /** As `--shard` takes them. */
  urls: string[];
  /** Those that have no address yet, each with the reason. */
  pending: string[];
}

/** Something that knows where bench-runners are. */
export interface ShardSource {
  name: string;
  /** What is asked, for the table of the docs. */
  asks: string;
  /** What may follow the name behind a colon. */
  argument: { word: string; means: string; isNeeded?: boolean };
  /** What to do if it can't be asked. */
  hint: string;
  /** Asks it. Throws `CommandFailed`, or any other `Error` for an answer that can't be read. */
  find(argument: string | undefined, engine: EngineCommands): Promise<Found>;
}

/** URL of a bench-runner at an IP address or host name. */
export function urlAt(address: string, port: number): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Orders names that end in numbers as people do: `shard-2` before `shard-10`. */
export function byNumber(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
