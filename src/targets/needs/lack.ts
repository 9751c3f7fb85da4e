import { spawnSync } from 'node:child_process';
import { namesAtLeast } from '../../units/package-files.js';
import { onPath } from '../launch/on-path.js';
import { isInstalled, type Need, type SystemPart } from './need.js';

/** A missing requirement, and advice on it. */
export interface Lack {
  why: string;
  hint: string;
}

/** Returns why a target with these needs can't start here. Undefined if nothing is missing. */
export function lackOf(needs: readonly Need[]): Lack | undefined {
  const stray = needs.find((need) => !suits(need));
  if (stray) return strayLack(stray);
  const missing = needs.filter((need) => !isInstalled(need));
  return lackIn([systemLack(needs.flatMap(({ system = [] }) => system)), installationLack(missing)]);
}

/** Returns why needs can't be installed here, or can't run once installed. Undefined if nothing is missing. */
export function installLack(needs: readonly Need[]): Lack | undefined {
  const stray = needs.find((need) => !suits(need));
  if (stray) return strayLack(stray);
  const toFill = (need: Need): readonly SystemPart[] => (isInstalled(need) ? [] : (need.filling?.system ?? []));
  return systemLack(needs.flatMap((need) => [...(need.system ?? []), ...toFill(need)]));
}

function installationLack(missing: readonly Need[]): Lack | undefined {
  if (missing.length === 0) return undefined;
  const titles = missing.map(({ title }) => title).join(', ');
  const names = missing.map(({ name }) => name).join(' ');
  return { why: `${titles}: not installed.`, hint: `Install it: ringside install ${names}.` };
}

/** Returns the parts that the system lacks, with one command that brings them. */
function systemLack(parts: readonly SystemPart[]): Lack | undefined {
  const missing = parts.filter((part) => !isThere(part));
  if (missing.length === 0) return undefined;
  const old = missing.filter(({ name, atLeast }) => atLeast !== undefined && onPath(name) !== undefined);
  const absent = missing.filter((part) => !old.includes(part));
  const commands = namesOf(absent.filter(({ proof }) => proof === undefined));
  const libraries = namesOf(absent.filter(({ proof }) => proof !== undefined));
  const why = [
    ...(commands ? [`${commands}: not on PATH.`] : []),
    ...(libraries ? [`${libraries}: not found.`] : []),
    ...old.map(({ name, atLeast }) => `${name}: older than ${atLeast}.`),
  ];
  return { why: why.join(' '), hint: hintFor(missing) };
}

function namesOf(parts: readonly SystemPart[]): string {
  return [...new Set(parts.map(({ name }) => name))].join(', ');
}

/** Returns the Debian packages that have these parts. */
export function packagesOf(parts: readonly SystemPart[]): Set<string> {
  return new Set(parts.flatMap(({ debian }) => debian?.split(' ') ?? []));
}

/** Returns the command that installs Debian packages, without those that they only recommend. */
export function aptCommand(packages: Iterable<string>): string {
  const install = `apt-get install --no-install-recommends ${[...packages].join(' ')}`;
  return `${asRoot('apt-get update')} && ${asRoot(install)}`;
}

/** Returns a command as this user runs it as root. Root often has no sudo. */
export function asRoot(command: string): string {
  return process.getuid?.() === 0 ? command : `sudo ${command}`;
}

/** Returns how to get parts of the system: one command for all that Debian has. */
function hintFor(parts: readonly SystemPart[]): string {
  const packages = packagesOf(parts);
  const advice = new Set(parts.flatMap(({ advice: each }) => each ?? []));
  const command = packages.size === 0 ? [] : [`On Debian: ${aptCommand(packages)}.`];
  return [...command, ...advice].join(' ');
}

/** Parts that this process has proved. A comparison requests each many times. */
const found = new Set<SystemPart>();

function isThere(part: SystemPart): boolean {
  const { name, proof, atLeast } = part;
  if (proof === undefined && atLeast === undefined) return onPath(name) !== undefined;
  if (found.has(part)) return true;
  const isFound = (proof === undefined || proves(proof)) && (atLeast === undefined || isSince(name, atLeast));
  if (isFound) found.add(part);
  return isFound;
}

function proves([command, ...args]: readonly [string, ...string[]]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: proofWithinMs }).status === 0;
}

/** Returns true if a command has that version or a newer one. */
function isSince(command: string, version: string): boolean {
  const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', timeout: proofWithinMs });
  return namesAtLeast(stdout ?? '', version);
}

const proofWithinMs = 30_000;

function lackIn(all: readonly (Lack | undefined)[]): Lack | undefined {
  const lacks = all.filter((lack) => lack !== undefined);
  return lacks.length === 0 ? undefined : joined(lacks);
}

/** Joins several lacks to one. */
export function joined(lacks: readonly Lack[]): Lack {
  return { why: lacks.map(({ why }) => why).join(' '), hint: lacks.map(({ hint }) => hint).join(' ') };
}

/** Returns true if the need runs on machines like this one. */
export function suits({ platforms }: Need): boolean {
  return platforms.includes(here());
}

function strayLack({ title, platforms }: Need): Lack {
  const hint = 'Start such a server yourself, on a machine where it runs: --target-url.';
  return { why: `${title}: runs on ${platforms.join(', ')}, and this is ${here()}.`, hint };
}

function here(): string {
  return `${process.platform}-${process.arch}`;
}
