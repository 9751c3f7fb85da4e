import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { outsideText } from '../../units/text.js';

/** Returns the first executable file of that name on PATH. */
export function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Returns true for a file that this process may run. */
export function isExecutable(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** States if a target can be started here. If not, a scoreboard prints `why` in its row. */
export type Availability = { isAvailable: true; version: string } | { isAvailable: false; why: string; hint: string };

const answerWithinMs = 30_000;

/** Programs that named their version to this process. A comparison requests each many times. */
const named = new Map<string, Promise<Availability>>();

/** Runs a program that names a version in its first line. `hint` says what to do if it fails. */
export async function namedVersion(...question: Parameters<typeof askVersion>): Promise<Availability> {
  const key = JSON.stringify(question.slice(0, -1));
  const asked = named.get(key) ?? askVersion(...question);
  named.set(key, asked);
  const available = await asked;
  if (!available.isAvailable) named.delete(key);
  return available;
}

function askVersion(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  hint: string,
): Promise<Availability> {
  const firstLine = (text: string): string => outsideText(text.trim().split('\n', 1)[0] ?? '');
  return new Promise((resolve) => {
    execFile(command, args, { env, timeout: answerWithinMs }, (error, stdout, stderr) => {
      const version = firstLine(stdout);
      if (error === null && /\d+\.\d+/.test(version)) return resolve({ isAvailable: true, version });
      const late = error?.killed ? `it did not name its version within ${answerWithinMs / 1000} s` : error?.message;
      const why = firstLine(stderr) || late || `${[command, ...args].join(' ')} names no version`;
      resolve({ isAvailable: false, why, hint });
    });
  });
}
