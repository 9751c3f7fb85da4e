import type { z } from 'zod';
import { broadcastState } from '../../src/measure/samples/recorder.js';
import { jitterAudience, jitterOptions } from '../../src/scenarios/jitter.js';
import { type DropPlan, dropInstants } from '../../src/scenarios/roster/drops.js';
import { startNs, type WorkerGiven, workerOnStage } from './worker-on-stage.js';

export { startNs, valuesOf } from './worker-on-stage.js';

/** The worker's share of the run, what the target does, and the options that matter to an audience. */
export interface Given extends WorkerGiven {
  options?: z.input<typeof jitterOptions>;
  firstClient?: number;
}

/** An audience of one worker whose clients drop out and come back, before a known target, on a clock that leaps. */
export function audienceOnStage({ options: more, firstClient = 0, ...given }: Given = {}) {
  const { clientCount = 7, totalClients: subscribers = clientCount, broadcasts = 120 } = given;
  const options = jitterOptions.parse({
    clients: subscribers,
    warmUp: 0,
    broadcasts,
    rampRatePerSecond: 1000,
    ...more,
  });
  const worker = workerOnStage(options, { ...given, clientCount, broadcasts });
  const context = { ...worker.context, firstClient };
  const audience = jitterAudience(context);
  const { board } = context;
  return {
    ...worker,
    options,
    audience,
    stage: (name: string) => worker.play(audience, name),
    /** Sends and answers broadcast number `sequence` that long after the start. */
    send(sequence: number, atMs: number) {
      board.intendedAtNs[sequence] = startNs + atMs * 1e6;
      board.sentAtNs[sequence] = startNs + atMs * 1e6;
      board.ackAtNs[sequence] = startNs + (atMs + 1) * 1e6;
      board.state[sequence] = broadcastState.acked;
    },
  };
}

/** 120 broadcasts at 4/s: half a minute, in which a client is dropped about six times. */
export const halfMinute: DropPlan = {
  seed: 7,
  everyMs: 5000,
  offlineMs: 2000,
  spread: 'exponential',
  lengthMs: 30_000,
};

/** Ramp, publish and drain at 4/s. `during` may plan what happens once the broadcasts begin, `beginMs` in. */
export async function played(
  { options, ...given }: Given = {},
  during: (stage: ReturnType<typeof audienceOnStage>, beginMs: number) => void = () => undefined,
) {
  const { everyMs } = halfMinute;
  const stage = audienceOnStage({ ...given, options: { everyMs, ratePerSecond: 4, ...options } });
  await stage.stage('ramp');
  const beginMs = stage.sinceStartMs();
  const inRamp = stage.opens.length;
  during(stage, beginMs);
  await stage.stage('publish');
  const endMs = stage.sinceStartMs();
  await stage.stage('drain');
  return { stage, beginMs, endMs, reopens: stage.opens.slice(inRamp), report: stage.audience.report() };
}

/** For tests: the numbers from 0 up to, not including, `end`. */
export const numbers = (end: number): number[] => Array.from({ length: end }, (_, n) => n);

/** For tests: how many drops the clients 0 to `clients` - 1 have in that half minute. */
export const plannedDrops = (clients: number): number =>
  numbers(clients).reduce((sum, client) => sum + dropInstants(client, halfMinute).length, 0);
