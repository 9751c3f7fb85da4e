import type { SendMessage } from '../wire.js';
import { commandKind, type Handle, type NativeAddon } from './addon.js';
import { PostBatch } from './post-batch.js';

/** Sends commands of an engine to its threads. A thread ignores commands for a connection that ended. */
export class Commands {
  /** By thread: what is posted in the running callback goes over in one call, which wakes the thread once. */
  readonly #batches: readonly PostBatch[];
  #hasPosts = false;
  #isStopped = false;

  constructor(
    private readonly addon: NativeAddon,
    private readonly handle: Handle,
    threads: number,
  ) {
    this.#batches = Array.from(
      { length: threads },
      (_, thread) => new PostBatch((bytes, length) => addon.post(handle, thread, bytes, length)),
    );
  }

  open(client: number, generation: number, identity: number, request: Uint8Array): void {
    this.#command(commandKind.open, client, generation, identity, 0, request);
  }

  send(client: number, generation: number, message: string | Uint8Array, kind: number): boolean {
    return this.#command(commandKind.send, client, generation, kind, 0, message);
  }

  /** Posts a send of the run that leaves at its instant. */
  post(client: number, generation: number, message: SendMessage, dueNs: number, token: number): void {
    const threads = this.#batches.length;
    this.#batches[client % threads]!.add(Math.floor(client / threads), generation, message, dueNs, token);
    if (this.#hasPosts) return;
    this.#hasPosts = true;
    queueMicrotask(this.#flush);
  }

  /** Drops a connection. `code` is that of a close frame, or 0 for none. */
  drop(client: number, mode: number, code = 0): void {
    this.#command(commandKind.drop, client, 0, mode, code);
  }

  /** Lets a client read so many bytes at most from now on. */
  readAtMost(client: number, generation: number, bytes: number): void {
    this.#command(commandKind.read, client, generation, 0, Math.min(bytes, Number.MAX_SAFE_INTEGER));
  }

  /** Confirms that the first `judged` items from the thread are valid. Answers to them were sent before. */
  trust(client: number, generation: number, judged: number): void {
    this.#command(commandKind.trust, client, generation, judged, 0);
  }

  #command(
    kind: number,
    client: number,
    generation: number,
    detail: number,
    number: number,
    message?: string | Uint8Array,
  ): boolean {
    this.#flush();
    return this.addon.command(this.handle, kind, client, generation, detail, number, message);
  }

  readonly #flush = (): void => {
    if (!this.#hasPosts || this.#isStopped) return;
    this.#hasPosts = false;
    for (const batch of this.#batches) batch.flush();
  };

  /** Hands over nothing more. */
  stop(): void {
    this.#isStopped = true;
  }
}
