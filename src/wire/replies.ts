import { randomInt } from 'node:crypto';
import type { Reply } from './wire.js';

const mostRandom = 2 ** 31;

/** The pings of some clients. The pong that answers one repeats its payload (RFC 6455, section 5.5.3). */
export class Pings {
  /** By client. */
  readonly #awaited = new Map<number, string>();
  /** Nobody who was not asked can know it. */
  #next = randomInt(mostRandom);

  /** The payload of the client's next ping. */
  payload(client: number): Uint8Array {
    const text = (this.#next++).toString(36);
    this.#awaited.set(client, text);
    return Buffer.from(text);
  }

  /** Whether a pong answers the client's last ping, for the first time. */
  isAnswer(client: number, pong: Uint8Array): boolean {
    const isAwaited = this.#awaited.get(client) === Buffer.from(pong).toString('latin1');
    if (isAwaited) this.#awaited.delete(client);
    return isAwaited;
  }

  /** The client's connection is another one, or none. */
  forget(client: number): void {
    this.#awaited.delete(client);
  }
}

/** Finds the reply to a text, if it is one that a session does not hear of. */
export class Replies {
  readonly #replies: readonly (Reply & { bytes: Buffer })[];

  constructor(replies: readonly Reply[] = []) {
    this.#replies = replies.map((reply) => ({ ...reply, bytes: Buffer.from(reply.received) }));
  }

  to(text: Uint8Array): Reply | undefined {
    return this.#replies.find(
      ({ bytes, isPrefix }) =>
        text.length >= bytes.length &&
        (isPrefix === true || text.length === bytes.length) &&
        bytes.compare(text, 0, bytes.length) === 0,
    );
  }
}
