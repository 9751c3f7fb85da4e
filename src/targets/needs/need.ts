import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { packageFile } from '../../units/package-files.js';
import { onPath } from '../launch/programs.js';

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
  /** Platforms that it runs on, if not both of `usualPlatforms`. */
  platforms?: readonly string[] | undefined;
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

/** Narrows a need to one that `ringside install` fills. */
export function isFilled(need: Need): need is FilledNeed {
  return need.filling !== undefined;
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

/** A missing requirement, and advice on it. */
export interface Lack {
  why: string;
  hint: string;
}

/** Returns why a target with these needs can't start here. Undefined if nothing is missing. */
export function lackOf(needs: readonly Need[]): Lack | undefined {
  const missing = needs.filter((need) => !isInstalled(need));
  const titles = missing.map(({ title }) => title).join(', ');
  const names = missing.map(({ name }) => name).join(' ');
  const system = systemLack(needs.flatMap((need) => need.system ?? []));
  const all = system ? [system] : [];
  if (names !== '') all.push({ why: `${titles}: not installed.`, hint: `Install it: ringside install ${names}.` });
  return strayLack(needs) ?? (all.length > 0 ? joined(all) : undefined);
}

/** Returns why needs can't be installed here, or can't run once installed. Undefined if nothing is missing. */
export function installLack(needs: readonly Need[]): Lack | undefined {
  const toFill = needs.flatMap((need) => (isInstalled(need) ? [] : (need.filling?.system ?? [])));
  return strayLack(needs) ?? systemLack([...needs.flatMap(({ system = [] }) => system), ...toFill]);
}

/** Joins several lacks to one. */
export function joined(lacks: readonly Lack[]): Lack {
  return { why: lacks.map(({ why }) => why).join(' '), hint: lacks.map(({ hint }) => hint).join(' ') };
}

const here = `${process.platform}-${process.arch}`;
/** By `process.platform` and `process.arch`. */
const usualPlatforms = ['linux-x64', 'linux-arm64'];

/** Returns true if the need runs on machines like this one. */
export function suits({ platforms = usualPlatforms }: Need): boolean {
  return platforms.includes(here);
}

function strayLack(needs: readonly Need[]): Lack | undefined {
  const stray = needs.find((need) => !suits(need));
  const hint = 'Start such a server yourself, on a machine where it runs: --target-url.';
  return (
    stray && {
      why: `${stray.title}: runs on ${(stray.platforms ?? usualPlatforms).join(', ')}, and this is ${here}.`,
      hint,
    }
  );
}

function systemLack(parts: readonly SystemPart[]): Lack | undefined {
  const missing = parts.filter((part) => !isThere(part));
  if (missing.length === 0) return undefined;
  const names = new Set(missing.map(({ name }) => name));
  const advice = new Set(missing.flatMap((part) => part.advice ?? []));
  const command = missing.some(({ debian }) => debian !== undefined) ? [`On Debian: ${aptCommand(missing)}.`] : [];
  return { why: `${[...names].join(', ')}: not found.`, hint: [...command, ...advice].join(' ') };
}

/** Returns the command that installs the Debian packages of these parts, without those that they only recommend. */
export function aptCommand(parts: readonly SystemPart[]): string {
  const packages = new Set(parts.flatMap(({ debian }) => debian?.split(' ') ?? []));
  const install = `apt-get install --no-install-recommends ${[...packages].join(' ')}`;
  return `${asRoot('apt-get update')} && ${asRoot(install)}`;
}

/** Returns a command as this user runs it as root. Root often has no sudo. */
export function asRoot(command: string): string {
  return process.getuid?.() === 0 ? command : `sudo ${command}`;
}

/** Parts that this process has found. A comparison requests each many times. */
const found = new Set<SystemPart>();

function isThere(part: SystemPart): boolean {
  const { name, check } = part;
  if (check === undefined) return onPath(name) !== undefined;
  if (!found.has(part) && spawnSync('/bin/sh', ['-c', check], { stdio: 'ignore', timeout: 30_000 }).status === 0)
    found.add(part);
  return found.has(part);
}
