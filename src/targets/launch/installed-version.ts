import { execFile } from 'node:child_process';
import { outsideText } from '../../units/text.js';
import type { Availability } from '../target.js';

const answerWithinMs = 30_000;

/** Programs that named their version to this process. A comparison requests each many times. */
const named = new Map<string, Promise<Availability>>();

/** Runs a program with `--version`. See `namedVersion`. */
export function installedVersion(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  hint: string,
): Promise<Availability> {
  return namedVersion(command, [...args, '--version'], env, hint);
}

/** Runs a program that names a version in its first line. `hint` says what to do if it fails. */
export async function namedVersion(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  hint: string,
): Promise<Availability> {
  const key = JSON.stringify([command, args, env]);
  const asked = named.get(key) ?? askVersion(command, args, env, hint);
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
