import type { TargetStats } from '../src/targets/target.js';
import { type Broadcast, maxBodyBytes, readBroadcast } from './broadcast.js';

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

/** Returns true if the request publishes and its body must be read. */
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
