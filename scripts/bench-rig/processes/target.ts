import { type RunningTarget, startTarget } from '../../../src/targets/launch/process.js';
import { uws } from '../../../src/targets/uws.js';

/** Runs `work` against a target of our own process; the cheapest server there is leaves the most of the machine to the clients. */
export async function withTarget<T>(work: (target: RunningTarget) => Promise<T>): Promise<T> {
  const target = await startTarget(uws, { host: '127.0.0.1' });
  try {
    return await work(target);
  } finally {
    await target.stop();
  }
}
