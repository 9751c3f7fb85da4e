import { Agent, request } from 'undici';
import { z } from 'zod';
import { outside } from '../contract/outside.js';
import { type ProblemCode, ProblemError, problem, problemTable } from '../contract/problems.js';
import { bootIdHeader, type JobStatus, jobStatus, refusal, type ShardInfo, shardInfo } from '../contract/shard.js';
import { outsideText } from '../units/outside-text.js';

const requestTimeoutMs = 15_000;
/** The driver listens to nothing else while it awaits a poll. */
const pollTimeoutMs = 3000;

/** Thrown when another process answers at a shard's address than the one that took the job. */
export class ShardRestarted extends Error {}

const accepted = z.object({ jobId: outside });

type Method = 'GET' | 'POST' | 'DELETE';

/** One bench-runner, as the driver speaks to it. Every request is short. */
export class ShardClient {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #agent = new Agent({
    connect: { timeout: requestTimeoutMs },
    headersTimeout: requestTimeoutMs,
    bodyTimeout: requestTimeoutMs,
  });
  #bootId: string | undefined;

  constructor(url: string, token: string | undefined) {
    this.url = url.replace(/\/+$/, '');
    this.#token = token;
  }

  /** Who answers; from now on another process at this address is a restarted shard. */
  async info(): Promise<ShardInfo> {
    const info = await this.#read(shardInfo, 'GET', '/info');
    this.#bootId = info.bootId;
    return info;
  }

  async post(job: unknown): Promise<string> {
    return (await this.#read(accepted, 'POST', '/jobs', job)).jobId;
  }

  async status(jobId: string): Promise<JobStatus> {
    return this.#read(jobStatus, 'GET', `/jobs/${jobId}`, undefined, pollTimeoutMs);
  }

  async openGate(jobId: string, name: string, opening: { delayMs: number; isLast: boolean }): Promise<void> {
    await (await this.#send('POST', `/jobs/${jobId}/gates/${name}`, opening)).dump();
  }

  async cancel(jobId: string): Promise<void> {
    await (await this.#send('DELETE', `/jobs/${jobId}`)).dump();
  }

  async samples(jobId: string, name: string): Promise<Uint8Array> {
    const body = await this.#send('GET', `/jobs/${jobId}/samples/${name}`);
    return new Uint8Array(await body.arrayBuffer());
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  /** Errors of parsers quote what they could not read: theirs are told without their control characters. */
  async #read<S extends z.ZodType>(
    schema: S,
    method: Method,
    path: string,
    body?: unknown,
    withinMs = requestTimeoutMs,
  ): Promise<z.output<S>> {
    const text = await (await this.#send(method, path, body, withinMs)).text();
    const read = schema.safeParse(parseOr(text));
    if (read.success) return read.data;
    const found = read.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`).join('; ');
    throw new Error(`${this.url}${path} answered something else than a bench-runner does: ${outsideText(found)}`);
  }

  async #send(method: Method, path: string, body?: unknown, withinMs = requestTimeoutMs) {
    const answer = await request(this.url + path, {
      method,
      dispatcher: this.#agent,
      headersTimeout: withinMs,
      signal: AbortSignal.timeout(withinMs + requestTimeoutMs),
      headers: {
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bootId = answer.headers[bootIdHeader];
    // An answer without the header comes from something on the way, not from a bench-runner.
    if (this.#bootId !== undefined && bootId !== undefined && bootId !== this.#bootId) {
      await answer.body.dump();
      throw new ShardRestarted(`another process answers at ${this.url}: the bench-runner restarted`);
    }
    if (answer.statusCode >= 400) throw await this.#refused(answer.statusCode, answer.body);
    return answer.body;
  }

  async #refused(status: number, body: { text(): Promise<string> }): Promise<Error> {
    const text = await body.text();
    const parsed = refusal.safeParse(parseOr(text));
    if (!parsed.success) return new Error(`${this.url} answered HTTP ${status}: ${outsideText(text)}`);
    return new ProblemError(
      parsed.data.problems.map(({ code, message, hint }) => {
        const known: ProblemCode = code in problemTable ? (code as ProblemCode) : 'badBody';
        return problem(known, `${this.url}: ${message}`, hint);
      }),
    );
  }
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
