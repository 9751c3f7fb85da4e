import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { exitCodes } from '../../contract/exit-codes.js';
import { problem } from '../../contract/problems.js';
import { tellProblems } from '../fail.js';

const descriptors = [0, 1, 2] as const;

/**
 * Lets this process outlive its terminal, its pipes and a full disk: lost output does not stop the work. A closed pipe
 * means that its reader has read enough; any other failure of stdout is a problem on stderr and never exit code 0.
 */
export function guardOutlets(): void {
  const terminals = descriptors.filter((descriptor) => isatty(descriptor));
  let isUnwritten = false;
  process.stderr.on('error', ofSystem);
  process.stdout.on('error', (error) => {
    const { code, message } = ofSystem(error);
    if (code === 'EPIPE' || isUnwritten) return;
    isUnwritten = true;
    tellProblems({ problems: [problem('notWritten', `stdout does not take all of the output: ${message}`)] });
  });
  process.on('exit', () => {
    if (isUnwritten && !process.exitCode) process.exitCode = exitCodes.rig.code;
    // Node restores the settings of its terminals at exit, and aborts if one is gone.
    for (const descriptor of terminals) if (!isatty(descriptor)) closeSync(descriptor);
  });
}

/** Throws any error that is not the system's: a fault of ours. */
function ofSystem(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  if (error.syscall === undefined) throw error;
  return error;
}
