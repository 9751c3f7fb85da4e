import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Need } from './need.js';

/** Names the folder in which `ringside install` keeps everything, if not `~/.cache/ringside`. */
export const homeVariable = 'RINGSIDE_HOME';

/** The folder of all installed needs. */
export function needsFolder(): string {
  return join(resolve(process.env[homeVariable] || join(homedir(), '.cache/ringside')), 'needs');
}

/** The package.json and package-lock.json of a need. */
export function pinsOf({ name }: Pick<Need, 'name'>): string {
  return fileURLToPath(new URL(`../../../servers/needs/${name}/`, import.meta.url));
}

/** Where a need lies once it is installed. The lock file names it, so other pins never pass for these. */
export function folderOf(need: Pick<Need, 'name'>): string {
  const pins = createHash('sha256').update(readFileSync(join(pinsOf(need), 'package-lock.json')));
  return join(needsFolder(), `${need.name}-${pins.digest('hex').slice(0, digits)}`);
}

const digits = 12;

/** Whether it is installed: its folder appears only when all in it was verified. */
export function isInstalled(need: Pick<Need, 'name'>): boolean {
  return existsSync(folderOf(need));
}
