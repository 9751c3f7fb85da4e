import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Names the folder in which `ringside install` keeps everything, if not `~/.cache/ringside`. */
export const homeVariable = 'RINGSIDE_HOME';

/** Returns the folder of all installed needs. */
export function needsFolder(): string {
  return join(resolve(process.env[homeVariable] || join(homedir(), '.cache/ringside')), 'needs');
}

/** Returns the folder of an installed need. Its name contains a hash of all pins, so other pins never match it. */
export function folderOf({ name, filling }: Pick<FilledNeed, 'name' | 'filling'>): string {
  const hash = createHash('sha256');
  for (const pin of filling.pins()) hash.update(pin);
  return join(needsFolder(), `${name}-${hash.digest('hex').slice(0, digits)}`);
}

const digits = 12;

/** Returns true if nothing is left to install. The folder appears only when all its content was verified. */
export function isInstalled(need: Need): boolean {
  return need.filling === undefined || existsSync(folderOf(need));
}

/** A program or a library of the system. */
export interface SystemPart {
  /** The command, or the library. */
  name: string;
  /** The Debian package that has it. */
  debian?: string;
  /** Says where to get it, if Debian's is too old or missing. */
  advice?: string;
  /** The oldest version that suffices, as `1.95`. The command prints its own with `--version`. */
  atLeast?: string;
  /** A command that ends with 0 if the library is there. Without one, `name` has to be a command on PATH. */
  proof?: readonly [string, ...string[]];
}

/** Describes how the folder of a need is filled. */
export interface Filling {
  /** Everything that decides the folder's content. */
  pins(): readonly (string | Buffer)[];
  /** A folder that is copied into it first. */
  copies?: string;
  /** Must be there before. */
  system: readonly SystemPart[];
  /** Returns the command that fills the folder. */
  command(folder: string): FillingCommand;
  /** Unneeded leftovers of the command in the folder. */
  waste?: string;
}

interface FillingCommand {
  words: readonly [string, ...string[]];
  /** Folder to run in. By default the need's folder, and any other works as well. */
  directory?: string;
  environment?: Record<string, string>;
}

interface AnyNeed {
  /** The name that `ringside install` takes. */
  name: string;
  /** The content of the need, with versions. */
  title: string;
  /** Platforms that it runs on, named by `process.platform` and `process.arch`. */
  platforms: readonly string[];
  /** System parts that it needs to run. Those for its installation are in its filling. */
  system?: readonly SystemPart[];
}

/** A need that `ringside install` puts into its own folder. */
export interface FilledNeed extends AnyNeed {
  filling: Filling;
  downloadBytes: number;
  diskBytes: number;
  /** Largest size of its folder during the build, if that is more. */
  buildBytes?: number;
  /** Returns the command that proves in its folder that it runs. Its first output line contains `version`. */
  proof(folder: string): readonly [string, ...string[]];
  version: string;
}

/** A need that only the system can bring. `ringside install` names the command. */
export interface SystemNeed extends AnyNeed {
  system: readonly SystemPart[];
  filling?: undefined;
}

/** A requirement of a target beyond `npm ci`. */
export type Need = FilledNeed | SystemNeed;
