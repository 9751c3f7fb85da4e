import { type ExecFileException, execFile } from 'node:child_process';
import { outsideText } from '../../units/outside-text.js';
import type { Availability } from '../target.js';

const answerWithinMs = 30_000;

/** Asks a program for its version with `--version`; one that fails, or names none, is not available, and `hint` says what to do about it. */
export function installedVersion(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  hint: string,
): Promise<Availability> {
  return new Promise((resolve) => {
    execFile(command, [...args, '--version'], { env, timeout: answerWithinMs }, (error, stdout, stderr) => {
      const version = stdout.trim().split('\n', 1)[0]!;
      if (error === null && /\d+\.\d+/.test(version)) resolve({ isAvailable: true, version: outsideText(version) });
      else
        resolve({
          isAvailable: false,
          why: whyNot(error, stderr) ?? `${command} --version names no version`,
          hint,
        });
    });
  });
}

/** Its own first words, where it had any, without their colours. */
function whyNot(error: ExecFileException | null, stderr: string): string | undefined {
  const words = outsideText(stderr.trim().split('\n', 1)[0] ?? '');
  if (words) return words;
  return error?.killed ? `it did not name its version within ${answerWithinMs / 1000} s` : error?.message;
}
