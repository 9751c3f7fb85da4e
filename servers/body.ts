import { maxBodyBytes } from './broadcast.js';

/** Collects a request body of at most `maxBodyBytes`. What is over the limit is read, so that the client gets to see its answer, and not kept. */
export class Body {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** Keeps the chunk itself: whoever reuses its memory hands over a copy. */
  push(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= maxBodyBytes) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  /** The whole body as text, or undefined when it was too long. */
  text(): string | undefined {
    return this.#bytes > maxBodyBytes ? undefined : Buffer.concat(this.#chunks).toString();
  }
}
