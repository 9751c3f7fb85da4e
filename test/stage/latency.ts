import { latencyOptions, subscribers } from '../../src/scenarios/latency.js';
import { type WorkerGiven, workerOnStage } from './worker-on-stage.js';

export { startNs } from './worker-on-stage.js';

/** The worker's share of the run, what the target does, and the options that matter to an audience. */
export interface Given extends WorkerGiven {
  rampRatePerSecond?: number;
  drainMs?: number;
}

/** For tests: an audience of one worker before a target of known behaviour, on a clock that does not wait. */
export function audienceOnStage({ rampRatePerSecond = 100, drainMs = 499, ...given }: Given = {}) {
  const { clientCount = 7, totalClients = clientCount, broadcasts = 11 } = given;
  const options = latencyOptions.parse({ clients: totalClients, warmUp: 0, broadcasts, drainMs, rampRatePerSecond });
  const worker = workerOnStage(options, { ...given, clientCount });
  const audience = subscribers(worker.context);
  return { ...worker, audience, stage: (name: string) => worker.play(audience, name) };
}
