import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { addFlags } from '../../cli/options/flags.js';
import { gatherWithoutFile } from '../../cli/options/given.js';
import { exitWithStdin, onSignals } from '../../cli/signals.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse } from '../../contract/refusal.js';
import { AllowList } from '../../runner/allow-list.js';
import { isLoopbackHost } from '../../runner/guard.js';
import { createService } from '../../runner/http.js';
import { type RunnerOptions, runnerOptions } from '../../runner/options.js';
import { createIdentity } from '../../runner/shard-self.js';
import { units } from '../../units/list.js';

const endJobWithinMs = 5000;

/** `ringside bench-runner`: serves until it is signalled and its results are fetched. Prints one JSON line once it listens. */
export function define(command: Command): void {
  addFlags(command, runnerOptions);
  command.action(async () => {
    // Some seconds after its last allocation V8 compacts a heap to give memory back: a pause of up to 20 ms in the middle of what is measured.
    setFlagsFromString('--no-memory-reducer');
    const options = readOptions(command);
    const { service, store } = createService(options, createIdentity());
    try {
      await service.listen({ host: options.host, port: options.port });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') throw error;
      throw new ProblemError([problem('portInUse', `${options.host}:${options.port} can't be listened on (${code})`)]);
    }
    const leave = async (ready: Promise<void>, withinMs: number): Promise<void> => {
      await Promise.race([ready, delay(withinMs)]);
      await service.close();
      process.exit(0);
    };
    const { lingerMs } = options;
    onSignals(
      (signal) => {
        const ended = store.end(signal);
        if (store.isAwaited && lingerMs > 0) tellOfLinger(signal, lingerMs);
        return leave(
          ended.then(() => store.collected()),
          lingerMs,
        );
      },
      () => process.exit(0),
    );
    // Who would fetch the result of a local shard is gone with its parent.
    exitWithStdin(() => leave(store.end('its parent is gone'), endJobWithinMs));
    // Last: who reads it may signal at once.
    const { port } = service.server.address() as { port: number };
    process.stdout.write(`${JSON.stringify({ listening: { host: options.host, port, pid: process.pid } })}\n`);
  });
}

function tellOfLinger(signal: string, lingerMs: number): void {
  const most = units.duration.print(lingerMs);
  process.stderr.write(
    `${signal}: the load ends; the driver has ${most} to fetch what was measured (once more to quit at once)\n`,
  );
}

function readOptions(command: Command): RunnerOptions {
  const options = resolveOrRefuse(runnerOptions, gatherWithoutFile(command, runnerOptions));
  if (!isLoopbackHost(options.host) && options.token === undefined) {
    throw new ProblemError([
      problem('unsafeBind', `--host ${options.host} is reachable from other machines, and there is no token`),
    ]);
  }
  try {
    new AllowList(options.allowTargets);
  } catch (error) {
    throw new ProblemError([problem('badOption', `--allow-target: ${(error as Error).message}`)]);
  }
  return options;
}
