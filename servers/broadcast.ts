import { jsonIn } from '../src/units/text.js';

/** A publish request may be this long; a longer one is answered 413. */
export const maxBodyBytes = 1024 * 1024;

/** One publish: `data` is what subscribers get, as JSON text, and `value` is what that text says. */
export interface Broadcast {
  stream: string;
  data: string;
  value: unknown;
}

/** Reads the body of `POST /_broadcast`, `{"stream": S, "data": "<JSON>"}`, or says what is wrong with it. */
export function readBroadcast(body: string): Broadcast | { problem: string } {
  const request = objectOf(body);
  return request ? checkBroadcast(request.stream, request.data) : { problem: 'the body is not a JSON object' };
}

/** Checks a publish and its stream, or says what is wrong with it. */
export function checkBroadcast(stream: unknown, data: unknown): Broadcast | { problem: string } {
  if (typeof stream !== 'string' || stream === '') return { problem: '"stream" is not a non-empty string' };
  if (typeof data !== 'string') return { problem: '"data" is not a string of JSON' };
  const value = jsonIn(data);
  if (value === undefined) return { problem: '"data" is a string, but what it holds is not JSON' };
  return { stream, data, value };
}

/** The JSON object that a text holds, if it holds one; a list counts as an object. */
export function objectOf(text: string): Record<string, unknown> | undefined {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** Collects a request body. What exceeds `maxBodyBytes` is read but not kept, so that an answer arrives. */
export class Body {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** Keeps the chunk itself, so its memory must not be reused. */
  push(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= maxBodyBytes) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  text(): string | undefined {
    return this.#bytes > maxBodyBytes ? undefined : Buffer.concat(this.#chunks).toString();
  }
}
