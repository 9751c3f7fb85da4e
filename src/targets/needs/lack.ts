import { spawnSync } from 'node:child_process';
import { onPath } from '../launch/on-path.js';
import type { Need, SystemPart } from './need.js';
import { isInstalled } from './place.js';

/** What stands in the way, and what to do about it. */
export interface Lack {
  why: string;
  hint: string;
}

/** Why a target with these needs can't start here; undefined if nothing is missing. */
export function lackOf(needs: readonly Need[]): Lack | undefined {
  const stray = needs.find((need) => !suits(need));
  if (stray) return strayLack(stray);
  const missing = needs.filter((need) => !isInstalled(need));
  return joined([systemLack(needs.flatMap(({ system = [] }) => system)), installationLack(missing)]);
}

/** What keeps needs from being installed here, and from running if they are; undefined if nothing does. */
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

/** What of these parts the system does not have, with one command that brings it. */
function systemLack(parts: readonly SystemPart[]): Lack | undefined {
  const missing = parts.filter((part) => !isThere(part));
  if (missing.length === 0) return undefined;
  const commands = namesOf(missing.filter(({ proof }) => proof === undefined));
  const libraries = namesOf(missing.filter(({ proof }) => proof !== undefined));
  const why = [...(commands ? [`${commands}: not on PATH.`] : []), ...(libraries ? [`${libraries}: not found.`] : [])];
  return { why: why.join(' '), hint: hintFor(missing) };
}

function namesOf(parts: readonly SystemPart[]): string {
  return [...new Set(parts.map(({ name }) => name))].join(', ');
}

/** The Debian packages that have these parts. */
export function packagesOf(parts: readonly SystemPart[]): Set<string> {
  return new Set(parts.flatMap(({ debian }) => debian?.split(' ') ?? []));
}

/** The command that installs Debian packages. */
export function aptCommand(packages: Iterable<string>): string {
  return `sudo apt-get install ${[...packages].join(' ')}`;
}

/** How to get parts of the system: one command for all that Debian has. */
function hintFor(parts: readonly SystemPart[]): string {
  const packages = packagesOf(parts);
  const advice = new Set(parts.flatMap(({ advice: each }) => each ?? []));
  const command = packages.size === 0 ? [] : [`On Debian: ${aptCommand(packages)}.`];
  return [...command, ...advice].join(' ');
}

/** Libraries that were found by this process. A comparison asks for each many times. */
const found = new Set<SystemPart>();

function isThere(part: SystemPart): boolean {
  const { name, proof } = part;
  if (proof === undefined) return onPath(name) !== undefined;
  if (found.has(part)) return true;
  const [command, ...args] = proof;
  const isFound = spawnSync(command, args, { stdio: 'ignore', timeout: proofWithinMs }).status === 0;
  if (isFound) found.add(part);
  return isFound;
}

const proofWithinMs = 30_000;

function joined(all: readonly (Lack | undefined)[]): Lack | undefined {
  const lacks = all.filter((lack) => lack !== undefined);
  if (lacks.length === 0) return undefined;
  return { why: lacks.map(({ why }) => why).join(' '), hint: lacks.map(({ hint }) => hint).join(' ') };
}

/** Whether it runs on machines like this one. */
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
