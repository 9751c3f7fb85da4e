import { execFile } from 'node:child_process';
import { outsideText } from '../../units/outside-text.js';
import type { Availability } from '../target.js';

const answerWithinMs = 30_000;

/** Runs a program with `--version`. One that fails or names none is not available, and `hint` says what to do. */
export function installedVersion(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  hint: string,
): Promise<Availability> {
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
