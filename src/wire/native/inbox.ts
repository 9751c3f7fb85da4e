import type { Handle, NativeAddon, NativeLoop } from './addon.js';
import { type InboxReader, LoopInbox } from './loop-inbox.js';
import { tellPostedSends } from './posted-sends.js';

/** Numbers of a loop in `heads` and `tails`: deliveries, acknowledgements, events. */
const columns = 3;

/** Reads what an engine's threads published. */
export class Inbox {
  readonly #heads: Uint32Array;
  readonly #tails: Uint32Array;
  readonly #loops: readonly LoopInbox[];

  constructor(
    private readonly addon: NativeAddon,
    private readonly handle: Handle,
    loops: readonly NativeLoop[],
    private readonly reader: InboxReader,
  ) {
    this.#heads = new Uint32Array(loops.length * columns);
    this.#tails = new Uint32Array(loops.length * columns);
    this.#loops = loops.map((loop) => new LoopInbox(addon, loop, reader));
  }

  /** Of sends it tells by a later look than the one for deliveries, so that none of these answers an unknown send. */
  take(): void {
    const [heads, tails] = [this.#heads, this.#tails];
    this.addon.take(this.handle, heads);
    tellPostedSends();
    for (let loop = 0; loop < this.#loops.length; loop++) {
      const at = loop * columns;
      const inbox = this.#loops[loop] as LoopInbox;
      inbox.events(tails[at + 2] as number, heads[at + 2] as number);
      inbox.acknowledgements(tails[at + 1] as number, heads[at + 1] as number);
      inbox.deliveries(tails[at] as number, heads[at] as number);
    }
    tails.set(heads);
    if (this.reader.isListening()) this.addon.done(this.handle, tails);
  }
}
