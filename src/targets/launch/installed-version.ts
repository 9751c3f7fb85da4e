import { execFile } from 'node:child_process';
import { outsideText } from '../../units/outside-text.js';
import type { Availability } from '../target.js';

const answerWithinMs = 30_000;

/** Programs that named their version to this process. A comparison asks for each many times. */
const named = new Map<string, Promise<Availability>>();

/**
 * Runs a program with `--version`, once if it names one. One that fails or names none is not available, and `hint`
 * says what to do.
 */
export async function installedVersion(
  command: string,
  args: string[],
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

function askVersion(command: string, args: string[], env: NodeJS.ProcessEnv, hint: string): Promise<Availability> {
  const firstLine = (text: string): string => outsideText(text.trim().split('\n', 1)[0] ?? '');
  return new Promise((resolve) => {
    execFile(command, [...args, '--version'], { env, timeout: answerWithinMs }, (error, stdout, stderr) => {
      const version = firstLine(stdout);
      if (error === null && /\d+\.\d+/.test(version)) return resolve({ isAvailable: true, version });
      const late = error?.killed ? `it did not name its version within ${answerWithinMs / 1000} s` : error?.message;
      const why = firstLine(stderr) || late || `${command} --version names no version`;
      resolve({ isAvailable: false, why, hint });
    });
  });
}
