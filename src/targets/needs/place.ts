import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FilledNeed, Need } from './need.js';

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
