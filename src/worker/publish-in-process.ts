import { z } from 'zod';
import { nowNs } from '../measure/rig/clock.js';
import type { Job } from '../scenarios/job.js';
import { dueAtNs } from '../scenarios/pace.js';
import type { BatchAnswer } from '../scenarios/scenario.js';
import { request } from '../units/http.js';
import { jsonIn } from '../units/text.js';
import { requestCause, type SocketError } from '../wire/causes.js';
import { type Outlet, openOutlet } from './publish.js';

/** The clock of a target may have a resolution of one millisecond. */
const roundingMs = 1;

const published = z.object({ published: z.number().int(), tookMs: z.number().nonnegative() });

/** Sends batches of broadcasts to the target, which publishes them by itself (servers/README.md). */
export class InProcessPublish {
  readonly #outlet: Outlet;

  constructor(
    private readonly job: Pick<Job, 'target' | 'stream' | 'load'>,
    url: string,
  ) {
    this.#outlet = openOutlet(url, job.load);
  }

  /** See `PublisherContext.publishBatch`. Extends the timeout by the time of the batch's schedule. */
  async publish(data: readonly string[], ratePerSecond: number): Promise<BatchAnswer> {
    const { stream, load, target } = this.job;
    const { pool, path } = this.#outlet;
    const batch = JSON.stringify({ stream, ratePerSecond, data });
    const startNs = nowNs();
    try {
      const { statusCode, body } = await request(pool, {
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...target.publishHeaders },
        body: batch,
        headersTimeout: load.publishTimeoutMs + (data.length / ratePerSecond) * 1000,
      });
      const text = await body.text();
      if (statusCode < 200 || statusCode >= 300) return statusCode;
      return batchAnswer(text, { length: data.length, ratePerSecond, answeredInMs: (nowNs() - startNs) / 1e6 });
    } catch (error) {
      return requestCause(error as SocketError);
    }
  }

  async close(): Promise<void> {
    await this.#outlet.pool.destroy();
  }
}

/** Reads the target's answer. Returns an error if it contradicts the batch or its schedule. */
export function batchAnswer(
  text: string,
  { length, ratePerSecond, answeredInMs }: { length: number; ratePerSecond: number; answeredInMs: number },
): BatchAnswer {
  const answer = published.safeParse(jsonIn(text));
  if (!answer.success) return 'protocol-error:batch-answer';
  const { published: done, tookMs } = answer.data;
  if (done !== length) return 'protocol-error:batch-in-part';
  if (tookMs > answeredInMs + roundingMs) return 'protocol-error:batch-time';
  if (tookMs + roundingMs < dueAtNs(length - 1, ratePerSecond) / 1e6 / 2) return 'protocol-error:batch-burst';
  return { tookMs };
}
