import type { Dispatcher } from 'undici';

import { ProblemError, problemError } from '../../contract/problems.js';

/** Thrown without an answer, or if the answer is not from a bench-runner. The next try may differ. */
export class NoAnswer extends Error {
  /** Returns true if nothing listens at the address. No process there can then hold a result. */
  get isRefused(): boolean {
    return this.message === words.ECONNREFUSED;
  }
}

const unknownAuthority = 'its certificate is of an unknown authority: NODE_EXTRA_CA_CERTS=FILE adds one';

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'an answer that broke off',
  ENOTFOUND: 'its name does not resolve',
  EAI_AGAIN: 'its name does not resolve',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no route to it',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it asks for a certificate: --shard-cert and --shard-key give one',
};

export const tooLate = 'no answer in time';

/** Describes why a request got no answer. An unknown error keeps the text of the system. */
export function noAnswerInWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const known = typeof code === 'string' ? words[code] : undefined;
  if (known !== undefined) return known;
  if (error.cause !== undefined) return noAnswerInWords(error.cause);
  return error.message || String(code);
}

export function secondsInWords(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

/** Returns a shard's answer. Throws `ProblemError` if the shard refuses or is silent. */
export async function shardAnswer<T>({ url }: { url: string }, asked: Promise<T>): Promise<T> {
  return asked.catch((error: unknown) => {
    if (error instanceof ProblemError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const message = error instanceof NoAnswer ? `${url} did not answer (${why})` : `${url}: ${why}`;
    throw problemError('shardUnreachable', message);
  });
}

type Answer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/** Holds the received part of a body. Data that arrived before a cut stays, and the next request asks for the rest. */
export class PartialBody {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get headers(): Record<string, string> {
    return this.#bytes === 0 ? {} : { range: rangeFrom(this.#bytes) };
  }

  /** Reads an answer. Returns the whole body or an error. Throws if it breaks off or holds another part. */
  async take({ statusCode: status, headers, body }: Answer): Promise<{ status: number; body: Uint8Array }> {
    // If nothing is left after the last byte, the answer is 416.
    const isRest = (status === 206 || status === 416) && partFrom(headers['content-range']) === this.#bytes;
    // A proxy may not support ranges. Its answer then starts from the beginning.
    if (!isRest && (status < 400 || status === 416)) {
      this.#chunks = [];
      this.#bytes = 0;
    }
    if (status >= 400) {
      const told = new Uint8Array(await body.arrayBuffer());
      if (!isRest) return { status, body: told };
    } else if (status === 206 && !isRest) {
      await body.dump();
      throw new Error('another part than the one that was asked for');
    } else {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        this.#chunks.push(chunk);
        this.#bytes += chunk.length;
      }
    }
    return { status: 200, body: Buffer.concat(this.#chunks, this.#bytes) };
  }
}

export function rangeFrom(bytes: number): string {
  return `bytes=${bytes}-`;
}

/** Returns the first byte of a part by its `Content-Range`, or the length of the whole without a part. */
export function partFrom(header: unknown): number | undefined {
  const [, first, whole] = /^bytes (?:(\d{1,15})-\d{1,15}|\*)\/(\d{1,15}|\*)$/.exec(String(header)) ?? [];
  const from = first ?? whole;
  return from === undefined ? undefined : Number(from);
}
