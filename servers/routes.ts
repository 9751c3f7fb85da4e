import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { dueAtNs, dueCount } from '../src/scenarios/pace.js';
import type { TargetStats } from '../src/targets/target.js';
import { jsonIn, objectIn } from '../src/units/text.js';

/** Describes the functions of a server under test behind its HTTP endpoints. */
export interface Service {
  publish(broadcast: Broadcast): void;
  stats(): TargetStats | Promise<TargetStats>;
  /** Assigns a place in a game and returns it as JSON. It is missing if the server has no game. */
  matchmake?(): string;
}

export interface HttpAnswer {
  status: number;
  body: string;
  /** Duration of the library's own publish in milliseconds, for `Server-Timing`. */
  publishMs?: number;
}

/** A request to a target. Its body is undefined if it was too long; only a POST needs one. */
interface TargetRequest {
  method: string;
  path: string;
  body?: string | undefined;
}

/** Answers a request to a target. `gone` aborts when the client leaves, which ends a batch. */
export async function answerTo(
  service: Service,
  { method, path, body }: TargetRequest,
  gone: AbortSignal,
): Promise<HttpAnswer> {
  if (isPublish(method, path)) return answerPublish(service, body);
  if (method === 'POST' && path === '/_publish-in-process') return answerBatch(service, body, gone);
  return answerOther(service, method, path);
}

/** Returns true if the request publishes. */
export function isPublish(method: string, path: string): boolean {
  return method === 'POST' && path === '/_broadcast';
}

/** Formats the `Server-Timing` of a publish (W3C Server Timing, `dur` in milliseconds). */
export function serverTiming(publishMs: number): string {
  return `publish;dur=${publishMs.toFixed(3)}`;
}

/** Answers a `POST /_broadcast`: 201 with an empty body, 413 if the body was too long, 400 if it is invalid. */
export function answerPublish(service: Pick<Service, 'publish'>, body: string | undefined): HttpAnswer {
  if (body === undefined) return tooLong();
  const broadcast = readBroadcast(body);
  if ('problem' in broadcast) return refusal(400, broadcast.problem);
  const startMs = performance.now();
  service.publish(broadcast);
  return { status: 201, body: '', publishMs: performance.now() - startMs };
}

export async function answerOther(
  service: Pick<Service, 'stats' | 'matchmake'>,
  method: string,
  path: string,
): Promise<HttpAnswer> {
  if (service.matchmake && method === 'POST' && path === '/api/pvp/matchmake')
    return { status: 200, body: service.matchmake() };
  if (method === 'GET' && path === '/health') return { status: 200, body: '{"status":"ok"}' };
  if (method === 'GET' && path === '/_stats') return { status: 200, body: JSON.stringify(await service.stats()) };
  return refusal(404, `nothing answers ${method} ${path}`);
}

export function tooLong(): HttpAnswer {
  return refusal(413, `the body is longer than ${maxBodyBytes} bytes`);
}

export function refusal(status: number, message: string): HttpAnswer {
  return { status, body: JSON.stringify({ message }) };
}

interface Batch {
  ratePerSecond: number;
  broadcasts: readonly Broadcast[];
}

/** Holds a clock and a wait. The wait resolves after about `ms`, or at once when the signal aborts. */
interface Pacing {
  nowMs(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
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

/** Answers a `POST /_publish-in-process` with 200 and the outcome, 413 or 400. */
async function answerBatch(
  service: Pick<Service, 'publish'>,
  body: string | undefined,
  gone: AbortSignal,
): Promise<HttpAnswer> {
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

/** Limits a publish request, in bytes. A longer one is answered with 413. */
export const maxBodyBytes = 1024 * 1024;

/** Describes one publish. Subscribers get `data`, a JSON text. `value` is the parsed text. */
export interface Broadcast {
  stream: string;
  data: string;
  value: unknown;
}

/** Reads the body of `POST /_broadcast`, `{"stream": S, "data": "<JSON>"}`. Returns a problem if it is invalid. */
export function readBroadcast(body: string): Broadcast | { problem: string } {
  const request = objectIn(body);
  return request ? checkBroadcast(request.stream, request.data) : { problem: 'the body is not a JSON object' };
}

/** Checks a publish and its stream. Returns a problem if one is invalid. */
export function checkBroadcast(stream: unknown, data: unknown): Broadcast | { problem: string } {
  if (typeof stream !== 'string' || stream === '') return { problem: '"stream" is not a non-empty string' };
  if (typeof data !== 'string') return { problem: '"data" is not a string of JSON' };
  const value = jsonIn(data);
  if (value === undefined) return { problem: '"data" is a string, but what it holds is not JSON' };
  return { stream, data, value };
}

/** Collects a request body. Bytes beyond `maxBodyBytes` are read but not kept, so that the client gets its answer. */
export class Body {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** Keeps the chunk itself without a copy. The caller must not reuse its memory. */
  push(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= maxBodyBytes) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  text(): string | undefined {
    return this.#bytes > maxBodyBytes ? undefined : Buffer.concat(this.#chunks).toString();
  }
}
