import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { dueAtNs, dueCount } from '../src/scenarios/pace.js';
import { objectIn } from '../src/units/text.js';
import { type Broadcast, checkBroadcast } from './broadcast.js';
import { type HttpAnswer, refusal, type Service, tooLong } from './routes.js';

export interface Batch {
  ratePerSecond: number;
  broadcasts: readonly Broadcast[];
}

/** Holds a clock and a wait. The wait resolves after about `ms`, or at once when the signal aborts. */
export interface Pacing {
  nowMs(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Returns true if the request submits a batch. */
export function isInProcess(method: string, path: string): boolean {
  return method === 'POST' && path === '/_publish-in-process';
}

/** Reads `{"stream": S, "ratePerSecond": R, "data": ["<JSON>", …]}`. Returns a problem if the body is invalid. */
export function readBatch(body: string): Batch | { problem: string } {
  const request = objectIn(body);
  if (request === undefined) return { problem: 'the body is not a JSON object' };
  const { stream, ratePerSecond, data } = request;
  if (typeof ratePerSecond !== 'number' || ratePerSecond <= 0)
    return { problem: '"ratePerSecond" is not a number above 0' };
  if (!Array.isArray(data) || data.length === 0) return { problem: '"data" is not a list of strings of JSON' };
  const broadcasts: Broadcast[] = [];
  for (const each of data) {
    const broadcast = checkBroadcast(stream, each);
    if ('problem' in broadcast) return broadcast;
    broadcasts.push(broadcast);
  }
  return { ratePerSecond, broadcasts };
}

/** Publishes a batch on its schedule. Overdue broadcasts go out at once. It ends early when the signal aborts. */
export async function publishBatch(
  { ratePerSecond, broadcasts }: Batch,
  publish: (broadcast: Broadcast) => void,
  signal: AbortSignal,
  { nowMs, sleep }: Pacing = ownPacing,
): Promise<{ published: number; tookMs: number }> {
  const startMs = nowMs();
  let lastMs = startMs;
  let published = 0;
  while (!signal.aborted) {
    const due = dueCount((nowMs() - startMs) * 1e6, broadcasts.length, ratePerSecond);
    for (const broadcast of broadcasts.slice(published, due)) {
      lastMs = nowMs();
      publish(broadcast);
    }
    published = due;
    if (published === broadcasts.length) break;
    await sleep(startMs + dueAtNs(published, ratePerSecond) / 1e6 - nowMs(), signal);
  }
  return { published, tookMs: lastMs - startMs };
}

/** Answers a `POST /_publish-in-process` with 200 and the outcome, 413 or 400. `gone` aborts when the client leaves. */
export async function answerBatch(service: Service, body: string | undefined, gone: AbortSignal): Promise<HttpAnswer> {
  if (body === undefined) return tooLong();
  const batch = readBatch(body);
  if ('problem' in batch) return refusal(400, batch.problem);
  const done = await publishBatch(batch, (broadcast) => service.publish(broadcast), gone);
  return { status: 200, body: JSON.stringify(done) };
}

const ownPacing: Pacing = {
  nowMs: () => performance.now(),
  async sleep(ms, signal) {
    try {
      // A timer waits at least a millisecond. Overdue broadcasts wait only until the sockets were read.
      await (ms <= 0 ? turn(undefined, { signal }) : delay(ms, undefined, { signal }));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },
};
