import type { Reply } from './wire.js';

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
