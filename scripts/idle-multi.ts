import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '../src/contract/exit-codes.js';
import { translate } from './idle-multi/translation.js';

const main = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));
/** Ctrl-C under npm comes from the terminal and once more from npm; `ringside` takes a second one for the wish to quit without a result. */
const samePressMs = 1000;

/** The idle test of a fleet, driven by `SHARDS`, `PER_SHARD_N`, `HOLD_SEC`, `RAMP_PER_SEC` and `TARGET`; what follows goes to `ringside run idle`. */
async function idleMulti(extra: readonly string[]): Promise<number> {
  const translation = translate(process.env);
  if (!translation.ok) {
    for (const problem of translation.problems) process.stderr.write(`error: ${problem}\n`);
    return exitCodes.input.code;
  }
  const args = [...translation.args, ...extra];
  process.stderr.write(`ringside ${args.join(' ')}\n`);
  return ringside(args);
}

/** Runs one command in this terminal; resolves with its exit code, or that of a shell for its signal. */
function ringside(args: readonly string[]): Promise<number> {
  // Translated: beside a target's address the name of another would be a contradiction.
  const { SHARDS, TARGET, ...env } = process.env;
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

process.exitCode = await idleMulti(process.argv.slice(2));
