import { onPath } from '../launch/on-path.js';
import type { Need, SystemProgram } from './need.js';
import { isInstalled } from './place.js';

/** What stands in the way, and what to do about it. */
export interface Lack {
  why: string;
  hint: string;
}

/** Why a target with these needs can't start here; undefined if all of them are installed. */
export function lackOf(needs: readonly Need[]): Lack | undefined {
  const missing = needs.filter((need) => !isInstalled(need));
  const [first] = missing;
  if (first === undefined) return undefined;
  const stray = missing.find((need) => !suits(need));
  if (stray) return strayLack(stray);
  const titles = missing.map(({ title }) => title).join(', ');
  const names = missing.map(({ name }) => name).join(' ');
  return { why: `${titles}: not installed.`, hint: `Install it: ringside install ${names}.` };
}

/** What keeps a need from being installed here; undefined if nothing does. */
export function installLack(need: Need): Lack | undefined {
  if (!suits(need)) return strayLack(need);
  const missing = need.programs.filter(({ command }) => onPath(command) === undefined);
  return missing.length === 0 ? undefined : programLack(missing);
}

function programLack(missing: readonly SystemProgram[]): Lack {
  const commands = missing.map(({ command }) => command).join(', ');
  const packages = missing.map(({ debian }) => debian).join(' ');
  return { why: `${commands}: not on PATH.`, hint: `On Debian: sudo apt-get install ${packages}.` };
}

function suits({ platforms }: Need): boolean {
  return platforms.includes(here());
}

function strayLack({ title, platforms }: Need): Lack {
  const hint = 'Start such a server yourself, on a machine where it runs: --target-url.';
  return { why: `${title}: runs on ${platforms.join(', ')}, and this is ${here()}.`, hint };
}

function here(): string {
  return `${process.platform}-${process.arch}`;
}
