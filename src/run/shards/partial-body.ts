import type { Dispatcher } from 'undici';
import { partFrom, rangeFrom } from '../../contract/bodies.js';

type Answer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/** A body as far as it has come. What arrived before a cut stays, and the next request asks for the rest. */
export class PartialBody {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Of the next request. */
  get headers(): Record<string, string> {
    return this.#bytes === 0 ? {} : { range: rangeFrom(this.#bytes) };
  }

  /**
   * Reads an answer and gives the whole with its status, or an error as it is. Throws if the answer breaks off, or is
   * another part than the one that was asked for.
   */
  async take({ statusCode: status, headers, body }: Answer): Promise<{ status: number; body: Uint8Array }> {
    // Nothing is left behind the last byte: then the answer is 416.
    const isRest = (status === 206 || status === 416) && partFrom(headers['content-range']) === this.#bytes;
    // A proxy may know no ranges: its answer begins anew.
    if (!isRest && (status < 400 || status === 416)) this.#clear();
    if (status >= 400) {
      const told = new Uint8Array(await body.arrayBuffer());
      if (!isRest) return { status, body: told };
    } else if (status === 206 && !isRest) {
      await body.dump();
      throw new Error('another part than the one that was asked for');
    } else {
      for await (const chunk of body) this.#add(chunk as Uint8Array);
    }
    return { status: 200, body: Buffer.concat(this.#chunks, this.#bytes) };
  }

  #add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  #clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }
}
