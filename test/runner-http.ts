import { expect } from 'vitest';
import { contractVersion, type JobRequest } from '../src/contract/job.js';
import { bootIdHeader, type JobStatus, jobStatus, refusal } from '../src/contract/shard.js';

/** An answer of a bench-runner. */
export interface Answer {
  status: number;
  bootId: string;
  body: Uint8Array;
}

/** Speaks to a bench-runner as any HTTP client would, and checks that every answer names the same process. */
export class RunnerHttp {
  readonly #origin: string;
  readonly #headers: Record<string, string>;
  #bootId: string | undefined;

  constructor(port: number, token?: string, headers: Record<string, string> = {}) {
    this.#origin = `http://127.0.0.1:${port}`;
    this.#headers = { ...headers, ...(token === undefined ? {} : { authorization: token }) };
  }

  ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
    // A bench-runner without a token takes no POST without JSON.
    const sent = method === 'POST' ? (body ?? {}) : body;
    return this.askText(method, path, sent === undefined ? undefined : JSON.stringify(sent));
  }

  /** The body goes as it is. */
  async askText(method: 'GET' | 'POST' | 'DELETE', path: string, body: string | undefined): Promise<Answer> {
    const response = await fetch(this.#origin + path, {
      method,
      headers: { ...this.#headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body }),
    });
    const bootId = response.headers.get(bootIdHeader);
    this.#bootId ??= bootId ?? undefined;
    expect(bootId, `boot id of ${method} ${path}`).toMatch(/^[0-9a-f-]{36}$/);
    expect(bootId).toBe(this.#bootId);
    return { status: response.status, bootId: bootId ?? '', body: new Uint8Array(await response.arrayBuffer()) };
  }

  /** Posts a job that is taken, and gives its id. */
  async take(job: JobRequest): Promise<string> {
    const answer = await this.ask('POST', '/jobs', job);
    expect([answer.status, textOf(answer)]).toEqual([202, expect.stringContaining('jobId')]);
    return (JSON.parse(textOf(answer)) as { jobId: string }).jobId;
  }

  async status(jobId: string): Promise<JobStatus> {
    return jobStatus.parse(JSON.parse(textOf(await this.ask('GET', `/jobs/${jobId}`))));
  }

  /** Polls until the job is as wanted. */
  async until(jobId: string, isThere: (status: JobStatus) => boolean): Promise<JobStatus> {
    for (;;) {
      const status = await this.status(jobId);
      if (isThere(status)) return status;
      await new Promise((resolve) => setTimeout(resolve, 31));
    }
  }

  /** Waits for the gate, then opens it. */
  async open(jobId: string, gate: string): Promise<void> {
    await this.until(jobId, ({ waitingFor }) => waitingFor === gate);
    expect((await this.ask('POST', `/jobs/${jobId}/gates/${gate}`)).status).toBe(200);
  }
}

/** The body of an answer as text. */
export function textOf({ body }: Answer): string {
  return Buffer.from(body).toString();
}

/** The problems that a refusing answer lists. */
export function problemsOf(answer: Answer) {
  return refusal.parse(JSON.parse(textOf(answer))).problems;
}

/** A `ws-json` target as a job names it; `authority` is its host and port. */
export function targetAt(authority: string): JobRequest['target'] {
  return { wsUrls: [`ws://${authority}/ws`], publishUrl: `http://${authority}/_broadcast` };
}

/** A job for one shard: 7 subscribers, 3 warm-up and 11 measured broadcasts at 101/s, to `ws-json` at that port. */
export function jobTo(targetPort: number, changes: Partial<JobRequest> = {}): JobRequest {
  return {
    contract: contractVersion,
    runId: '5eed0007',
    idempotencyKey: `key-${Math.random()}`,
    driver: 'a-test',
    scenario: 'latency',
    protocol: 'ws-json',
    target: targetAt(`127.0.0.1:${targetPort}`),
    stream: 'ringside-5eed0007',
    slice: { index: 0, of: 1 },
    seed: 7,
    options: { clients: 7, broadcasts: 11, ratePerSecond: 101, warmUp: 3, drainMs: 5000 },
    ...changes,
  };
}
