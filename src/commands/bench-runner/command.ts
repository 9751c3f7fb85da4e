import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { ProblemError, problem, problemError, resolveOrRefuse } from '../../contract/problems.js';
import { AllowList, isLoopbackHost, type RunnerOptions, runnerOptions } from '../../runner/allow-list.js';
import { createService } from '../../runner/http.js';
import type { StartMetronome } from '../../runner/metronome.js';
import { createIdentity } from '../../runner/shard-self.js';
import { units } from '../../units/unit.js';
import { type Call, type CommandSession, plain } from '../command.js';

/** Starts the metronome on a free loopback port. Its modules load only when a drill asks for it. */
export const startMetronome: StartMetronome = async () => {
  const [{ targets }, { startTarget }, { TargetStartError }] = await Promise.all([
    import('../../targets/list.js'),
    import('../../targets/launch/process.js'),
    import('../../targets/launch/readiness.js'),
  ]);
  const metronome = targets.find(({ name }) => name === 'metronome');
  if (!metronome) throw new Error('there is no target named metronome');
  const running = await startTarget(metronome, { host: '127.0.0.1' }).catch((error: unknown) => {
    if (!(error instanceof TargetStartError)) throw error;
    throw problemError('targetFailed', `the metronome: ${error.why}`, error.hint);
  });
  const { wsUrl, publishUrl } = running.endpoints;
  return { wsUrl, publishUrl, stop: () => running.stop() };
};

const endJobWithinMs = 5000;

/** `ringside bench-runner`: serves until a signal ends it and its results are fetched. Prints one JSON line. */
export const command = plain({
  options: runnerOptions,
  examples: ['bench-runner', 'bench-runner --host 0.0.0.0 --token SECRET --allow-target ws.example.com'],
  async run(session, given) {
    // Some seconds after its last allocation V8 compacts a heap: a pause of up to 20 ms in the middle of a measurement.
    setFlagsFromString('--no-memory-reducer');
    const options = readOptions(given);
    const { service, store } = createService(options, createIdentity(), { startMetronome });
    try {
      await service.listen({ host: options.host, port: options.port });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') throw error;
      throw problemError('portInUse', `can't listen on ${options.host}:${options.port} (${code})`);
    }
    const { foreground } = session;
    const leave = async (ready: Promise<void>, withinMs: number): Promise<void> => {
      await Promise.race([ready, delay(withinMs)]);
      await service.close();
      foreground.exit();
    };
    const { lingerMs } = options;
    foreground.onSignals((signal) => {
      const ended = store.end(signal);
      if (store.isAwaited && lingerMs > 0) noteLinger(session, signal, lingerMs);
      return leave(
        ended.then(() => store.collected()),
        lingerMs,
      );
    }, foreground.exit);
    // The driver that would fetch the results of a local shard is gone with its process.
    foreground.onOrphaned(() => leave(store.end('its parent is gone'), endJobWithinMs));
    // This comes last because the reader may signal at once.
    const { port } = service.server.address() as { port: number };
    const { host, allowTargets } = options;
    foreground.greet(`bench-runner: ${host}, port ${port}; it loads ${allowTargets.join(', ')}; Ctrl-C ends it`);
    session.print(`${JSON.stringify({ listening: { host, port, pid: process.pid } })}\n`);
  },
});

function noteLinger({ note }: CommandSession, signal: string, lingerMs: number): void {
  const most = units.duration.print(lingerMs);
  note(`${signal}: the load ends; the driver has ${most} to fetch the results (signal again to quit at once)`);
}

function readOptions(given: Call): RunnerOptions {
  const options = resolveOrRefuse(runnerOptions, given);
  if (!isLoopbackHost(options.host) && options.token === undefined) {
    throw new ProblemError([
      problem('unsafeBind', `--host ${options.host} is reachable from other machines, but no --token is given`),
    ]);
  }
  try {
    new AllowList(options.allowTargets);
  } catch (error) {
    throw problemError('badOption', `--allow-target: ${(error as Error).message}`);
  }
  return options;
}
