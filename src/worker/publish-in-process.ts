import { z } from 'zod';
import { nowNs } from '../measure/rig/clock.js';
import type { Job } from '../scenarios/job.js';
import { dueAtNs } from '../scenarios/pace.js';
import type { BatchAnswer } from '../scenarios/scenario.js';
import type { SocketError } from '../wire/causes.js';
import { type Outlet, openOutlet, publishCause } from './publish.js';

/** A target's clock may know whole milliseconds alone. */
const roundingMs = 1;

const published = z.object({ published: z.number().int(), tookMs: z.number().nonnegative() });

/** Hands batches of broadcasts to the target, one HTTP request each; it publishes them by itself (servers/README.md). */
export class InProcessPublish {
  readonly #outlet: Outlet;
  readonly #job: Pick<Job, 'target' | 'stream' | 'load'>;

  constructor(job: Pick<Job, 'target' | 'stream' | 'load'>, url: string) {
    this.#job = job;
    this.#outlet = openOutlet(url, job.load);
  }

  /** See `PublisherContext.publishBatch`. The time that the schedule of the batch takes comes on top of that for an answer. */
  async publish(data: readonly string[], ratePerSecond: number): Promise<BatchAnswer> {
    const { stream, load, target } = this.#job;
    const { pool, path } = this.#outlet;
    const batch = JSON.stringify({ stream, ratePerSecond, data });
    const startNs = nowNs();
    try {
      const { statusCode, body } = await pool.request({
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
      return publishCause(error as SocketError);
    }
  }

  /** Cuts every connection; batches under way resolve with a cause. */
  async close(): Promise<void> {
    await this.#outlet.pool.destroy();
  }
}

/** A target that does not say that it has published them all may have published none; and one that names a time which can't be, or in which its schedule had no room, another load. */
export function batchAnswer(
  text: string,
  { length, ratePerSecond, answeredInMs }: { length: number; ratePerSecond: number; answeredInMs: number },
): BatchAnswer {
  const answer = published.safeParse(parsed(text));
  if (!answer.success) return 'protocol-error:batch-answer';
  const { published: done, tookMs } = answer.data;
  if (done !== length) return 'protocol-error:batch-in-part';
  if (tookMs > answeredInMs + roundingMs) return 'protocol-error:batch-time';
  if (tookMs + roundingMs < dueAtNs(length - 1, ratePerSecond) / 1e6 / 2) return 'protocol-error:batch-burst';
  return { tookMs };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
