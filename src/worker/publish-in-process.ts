import { z } from 'zod';
import type { Job } from '../contract/job.js';
import type { BatchAnswer } from '../scenarios/scenario.js';
import type { SocketError } from '../wire/causes.js';
import { type Outlet, openOutlet, publishCause } from './publish.js';

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
    try {
      const { statusCode, body } = await pool.request({
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...target.publishHeaders },
        body: batch,
        headersTimeout: load.publishTimeoutMs + (data.length / ratePerSecond) * 1000,
      });
      const text = await body.text();
      return statusCode >= 200 && statusCode < 300 ? tookOf(text, data.length) : statusCode;
    } catch (error) {
      return publishCause(error as SocketError);
    }
  }

  /** Cuts every connection; batches under way resolve with a cause. */
  async close(): Promise<void> {
    await this.#outlet.pool.destroy();
  }
}

/** A target that does not say that it has published them all may have published none. */
function tookOf(text: string, asked: number): BatchAnswer {
  const answer = published.safeParse(parsed(text));
  if (!answer.success) return 'protocol-error:batch-answer';
  if (answer.data.published !== asked) return 'protocol-error:batch-in-part';
  return { tookMs: answer.data.tookMs };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
