import { spawnSync } from 'node:child_process';
import { onPath } from '../launch/on-path.js';
import { isInstalled, type Need, type SystemPart } from './need.js';

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
  const all = [...(system ? [system] : [])];
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

/** Returns true if the need runs on machines like this one. */
export function suits({ platforms }: Need): boolean {
  return platforms.includes(here);
}

function strayLack(needs: readonly Need[]): Lack | undefined {
  const stray = needs.find((need) => !suits(need));
  const hint = 'Start such a server yourself, on a machine where it runs: --target-url.';
  return stray && { why: `${stray.title}: runs on ${stray.platforms.join(', ')}, and this is ${here}.`, hint };
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
