import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '../src/contract/exit-codes.js';
import { multi } from './multi/arguments.js';

const main = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));
/** Ctrl-C under npm comes from the terminal and once more from npm; `ringside` takes a second one for the wish to quit without a result. */
const samePressMs = 1000;

/** `multi.js SCENARIO|knee FLAG…`: one bench over several shards; the flags go to `ringside`. */
async function run([what, ...flags]: readonly string[]): Promise<number> {
  const asked = multi(what, flags, process.env);
  if (!asked.ok) {
    for (const problem of asked.problems) process.stderr.write(`error: ${problem}\n`);
    return exitCodes.input.code;
  }
  process.stderr.write(`ringside ${asked.args.join(' ')}\n`);
  return ringside(asked.args, asked.env);
}

/** Runs one command in this terminal; resolves with its exit code, or that of a shell for its signal. */
function ringside(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // In a session of its own it hears of a signal from us alone.
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

process.exitCode = await run(process.argv.slice(2));
