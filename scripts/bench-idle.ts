import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '../src/contract/exit-codes.js';
import { idleRun } from './bench-idle/load.js';

const main = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));
/** Ctrl-C under npm arrives twice, from the terminal and from npm. `ringside` would quit at the second one. */
const samePressMs = 1000;

/** Runs `ringside` in this terminal. Resolves with its exit code, or with a shell's code for its signal. */
function ringside(args: readonly string[]): Promise<number> {
  process.stderr.write(`ringside ${args.join(' ')}\n`);
  // `args` name the target: `ringside` refuses TARGET beside an address.
  const { TARGET, ...env } = process.env;
  // In a session of its own, so that only this process signals it.
  const child = spawn(process.execPath, [main, ...args], { stdio: 'inherit', env, detached: true });
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const nowMs = performance.now();
      if (nowMs - lastMs > samePressMs) child.kill(signal);
      lastMs = nowMs;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

const run = idleRun(process.argv.slice(2), process.env);
if (run.ok) process.exitCode = await ringside(run.args);
else {
  for (const problem of run.problems) process.stderr.write(`error: ${problem}\n`);
  process.exitCode = exitCodes.input.code;
}
