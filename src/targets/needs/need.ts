import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Names the folder in which `ringside install` keeps everything, if not `~/.cache/ringside`. */
export const homeVariable = 'RINGSIDE_HOME';

/** The folder of all installed needs. */
export function needsFolder(): string {
  return join(resolve(process.env[homeVariable] || join(homedir(), '.cache/ringside')), 'needs');
}

/** Where a need lies once it is installed. All that pins it is in the name, so other pins never pass for these. */
export function folderOf({ name, filling }: Pick<FilledNeed, 'name' | 'filling'>): string {
  const hash = createHash('sha256');
  for (const pin of filling.pins()) hash.update(pin);
  return join(needsFolder(), `${name}-${hash.digest('hex').slice(0, digits)}`);
}

const digits = 12;

/** Whether nothing of it is left to install: its folder appears only when all in it was verified. */
export function isInstalled(need: Need): boolean {
  return need.filling === undefined || existsSync(folderOf(need));
}

/** A program or a library of the system. */
export interface SystemPart {
  /** The command, or the library. */
  name: string;
  /** The Debian package that has it. */
  debian?: string;
  /** Where to get it, if Debian's is too old or not there. */
  advice?: string;
  /** The oldest version that will do, as `1.95`. The command names its own with `--version`. */
  atLeast?: string;
  /** A command that ends with 0 if the library is there. Without one, `name` has to be a command on PATH. */
  proof?: readonly [string, ...string[]];
}

/** How the folder of a need is filled. */
export interface Filling {
  /** Everything that decides what comes into the folder. */
  pins(): readonly (string | Buffer)[];
  /** A folder that is copied into it first. */
  copies?: string;
  /** Must be there before. */
  system: readonly SystemPart[];
  /** The command that does it. */
  command(folder: string): FillingCommand;
  /** What it leaves in the folder and nobody needs. */
  waste?: string;
}

interface FillingCommand {
  words: readonly [string, ...string[]];
  /** Where it has to run; by default in the folder, and anywhere else as well. */
  directory?: string;
  environment?: Record<string, string>;
}

interface AnyNeed {
  /** What `ringside install` is told. */
  name: string;
  /** What it brings, with versions. */
  title: string;
  /** Where it runs, as `process.platform` and `process.arch` name it. */
  platforms: readonly string[];
  /** What it needs of the system to run. What it needs to be installed is in its filling. */
  system?: readonly SystemPart[];
}

/** What `ringside install` puts into a folder of its own. */
export interface FilledNeed extends AnyNeed {
  filling: Filling;
  downloadBytes: number;
  diskBytes: number;
  /** The most that its folder has while it is built, if that is more. */
  buildBytes?: number;
  /** The command that proves that it runs here, in its folder; `version` is in the first line that it prints. */
  proof(folder: string): readonly [string, ...string[]];
  version: string;
}

/** What only the system can bring: `ringside install` names the command. */
export interface SystemNeed extends AnyNeed {
  system: readonly SystemPart[];
  filling?: undefined;
}

/** What a target needs beyond `npm ci`. */
export type Need = FilledNeed | SystemNeed;
