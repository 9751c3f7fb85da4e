import { jsonIn, objectIn } from '../src/units/text.js';

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
