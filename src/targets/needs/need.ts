import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { packageFile } from '../../units/package-files.js';

/** A program or a library of the system. */
export interface SystemPart {
  /** The command, or the library. */
  name: string;
  /** The Debian packages that have it. */
  debian?: string;
  /** Says where to get it, if Debian's is too old or missing. */
  advice?: string;
  /** A shell command that ends with 0 if it is there. Without one, `name` has to be a command on PATH. */
  check?: string;
}

/** Describes how the folder of a need is filled. */
export interface Filling {
  /** Folder in `servers/` with sources and pins. A published program has none. */
  source?: string;
  /** A shell command that fills the folder that it runs in. `$SOURCE` is the path of `source`, `$NODE` this Node. */
  script: string;
  /** Must be there before. */
  system: readonly SystemPart[];
}

/** A requirement of a target beyond `npm ci`. */
export interface Need {
  /** The name that `ringside install` takes. */
  name: string;
  /** The content of the need, with versions. */
  title: string;
  /** Platforms that it runs on, named by `process.platform` and `process.arch`. */
  platforms: readonly string[];
  /** System parts that it needs to run. Those for its installation are in its filling. */
  system?: readonly SystemPart[];
  /** Left out if only the system can bring it. */
  filling?: Filling;
}

/** A need that `ringside install` puts into its own folder. */
export interface FilledNeed extends Need {
  filling: Filling;
  megabytes: { download: number; disk: number };
  /** Returns the command that proves in its folder that it runs. Its first output line contains `version`. */
  proof(folder: string): readonly [string, ...string[]];
  version: string;
}

/** Names the folder in which `ringside install` keeps everything, if not `~/.cache/ringside`. */
export const homeVariable = 'RINGSIDE_HOME';

/** Returns the folder of all installed needs. */
export function needsFolder(): string {
  return join(resolve(process.env[homeVariable] || join(homedir(), '.cache/ringside')), 'needs');
}

/** Returns a folder in `servers/`, for servers in other languages and the pins of `ringside install`. */
export function serverFolder(name: string): string {
  return packageFile('servers', name);
}

/** Returns the folder of an installed need. Its name contains a hash of all pins, so other pins never match it. */
export function folderOf({ name, filling }: Pick<FilledNeed, 'name' | 'filling'>): string {
  const hash = createHash('sha256').update(filling.script);
  for (const part of filling.source === undefined ? [] : sourcesIn(serverFolder(filling.source))) hash.update(part);
  return join(needsFolder(), `${name}-${hash.digest('hex').slice(0, 12)}`);
}

function sourcesIn(folder: string): (string | Buffer)[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  const sources = paths.filter((path) => !/\.ts$|README\.md$|(^|\/)target(\/|$)/.test(path));
  return sources.sort().flatMap((path) => [path, readFileSync(join(folder, path))]);
}

/** Returns true if nothing is left to install. The folder appears only when all its content was verified. */
export function isInstalled({ name, filling }: Need): boolean {
  return filling === undefined || existsSync(folderOf({ name, filling }));
}
