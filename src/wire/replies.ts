import { randomInt } from 'node:crypto';
import type { Reply } from './wire.js';

const mostRandom = 2 ** 31;

/** The pings of some clients. A pong repeats the payload of its ping (RFC 6455, section 5.5.3). */
export class Pings {
  /** Payloads of the awaited pongs, by client. */
  readonly #awaited = new Map<number, string>();
  /** Random start, so that only a target that received the ping knows its payload. */
  #next = randomInt(mostRandom);

  /** Returns the payload of the client's next ping. */
  payload(client: number): Uint8Array {
    const text = (this.#next++).toString(36);
    this.#awaited.set(client, text);
    return Buffer.from(text);
  }

  /** Returns true if a pong is the first answer to the client's last ping. */
  isAnswer(client: number, pong: Uint8Array): boolean {
    const isAwaited = this.#awaited.get(client) === Buffer.from(pong).toString('latin1');
    if (isAwaited) this.#awaited.delete(client);
    return isAwaited;
  }

  /** Forgets the ping of a client whose connection ended or changed. */
  forget(client: number): void {
    this.#awaited.delete(client);
  }
}

/** Finds the reply to a text, if it is one that sessions need not see. */
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
