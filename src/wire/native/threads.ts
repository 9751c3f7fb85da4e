import { readThreadTimes } from '../core-wait.js';
import type { EngineStats, SendBatch } from '../wire.js';
import { Accounts } from './accounts.js';
import { Commands, type Handle, type NativeAddon } from './addon.js';
import { type LoopMemory, loopMemory } from './layout.js';
import { type InboxReader, LoopInbox } from './loop-inbox.js';
import { PostedSends, tellPostedSends } from './posted-sends.js';
import type { NativeSetup } from './setup.js';

/** What an engine hears of its threads. */
export interface ThreadsReader extends InboxReader {
  sends(batch: SendBatch): void;
  /** Before what was published is read. */
  woke(): void;
}

/** The running threads of an engine. */
export class Threads {
  readonly commands: Commands;
  readonly accounts: Accounts;
  readonly posted: PostedSends;
  readonly #handle: Handle;
  readonly #loops: readonly LoopMemory[];
  readonly #inboxes: readonly LoopInbox[];

  constructor(
    private readonly addon: NativeAddon,
    setup: NativeSetup,
    capacity: number,
    private readonly reader: ThreadsReader,
  ) {
    const [handle, ...memories] = addon.create(setup.numbers, setup.texts, () => this.#wake());
    const clientsOf = (loop: number): number => Math.ceil((capacity - loop) / memories.length);
    this.#handle = handle;
    this.#loops = memories.map((memory, loop) => loopMemory(memory, clientsOf(loop)));
    this.commands = new Commands(addon, handle);
    this.accounts = new Accounts(this.#loops);
    this.posted = new PostedSends(this.commands, this.#loops, (batch) => reader.sends(batch));
    this.#inboxes = this.#loops.map((loop) => new LoopInbox(loop, reader));
  }

  /** Of sends it tells by a later look than the one for deliveries, so that none of these answers an unknown send. */
  #wake(): void {
    if (!this.reader.isListening()) return;
    this.reader.woke();
    for (const inbox of this.#inboxes) inbox.look();
    tellPostedSends();
    for (const inbox of this.#inboxes) inbox.take();
  }

  stats(): Omit<EngineStats, 'exact' | 'bracketed' | 'unstamped'> {
    const all = { reads: 0, clockSteps: 0, loops: this.#loops.length, cpuNs: 0, coreWaitNs: 0 };
    for (const { reads, clockSteps, tid } of this.#loops) {
      const { cpuNs, coreWaitNs } = readThreadTimes(tid[0] as number);
      all.reads += reads[0] as number;
      all.clockSteps = Math.max(all.clockSteps, Atomics.load(clockSteps, 0));
      all.cpuNs += cpuNs;
      all.coreWaitNs += coreWaitNs;
    }
    return all;
  }

  dispose(): void {
    this.addon.dispose(this.#handle);
    this.posted.forget();
  }
}
