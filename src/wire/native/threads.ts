import { readThreadTimes } from '../turns.js';
import type { DeliveryBatch, EngineStats, SendBatch, SendMessage } from '../wire.js';
import { eventKind, type Handle, type NativeAddon, type NativeSetup } from './addon.js';
import { Commands } from './commands.js';
import {
  account,
  type DeliveryRing,
  type EventRing,
  type LoopMemory,
  loopMemory,
  type ReportRing,
  ringAt,
} from './layout.js';
import { Candidates, eachPiece } from './raw-frames.js';

/** The engines of this thread that have sends under way. */
const waiting = new Set<PostedSends>();

/** Reports all finished posted sends of this thread. A delivery may answer a send of another engine. */
export function reportPostedSends(): void {
  for (const each of waiting) each.tell();
}

/** The sends of one engine that its threads hold until they are due, and the reports of them. */
export class PostedSends {
  #underWay = 0;

  constructor(
    private readonly commands: Commands,
    private readonly loops: readonly LoopMemory[],
    private readonly told: (batch: SendBatch) => void,
  ) {}

  /** Posts a send. Returns false if one ring might not hold the reports of all sends under way. */
  post(client: number, generation: number, message: SendMessage, dueNs: number, token: number): boolean {
    if (this.#underWay === this.loops[0]?.reports.client.length) return false;
    this.commands.post(client, generation, message, dueNs, token);
    if (this.#underWay === 0) waiting.add(this);
    this.#underWay++;
    return true;
  }

  tell(): void {
    for (const { reports, heads, tails } of this.loops) {
      const tail = tails[ringAt.reports]!;
      const head = Atomics.load(heads, ringAt.reports);
      Atomics.store(tails, ringAt.reports, head);
      eachPiece(reports.client.length, tail, head, (start, end) => this.#hand(reports, start, end));
    }
  }

  #hand(ring: ReportRing, start: number, end: number): void {
    if (!waiting.has(this)) return;
    this.#underWay -= end - start;
    if (this.#underWay === 0) waiting.delete(this);
    this.told({
      count: end - start,
      client: ring.client.subarray(start, end),
      token: ring.token.subarray(start, end),
      sentAtNs: ring.sentAtNs.subarray(start, end),
      writtenAtNs: ring.writtenAtNs.subarray(start, end),
      fate: ring.fate.subarray(start, end),
    });
  }

  forget(): void {
    waiting.delete(this);
  }
}

/** Receives the reports of native threads, in order per client. Events have places in the ring, bytes in the arena. */
export interface InboxReader {
  /** Returns false once nothing may be reported any more. */
  isListening(): boolean;
  opened(events: EventRing, at: number, arena: Buffer, start: number, end: number): void;
  talk(events: EventRing, at: number, bytes: Uint8Array, isBinary: boolean): void;
  ponged(events: EventRing, at: number, payload: Uint8Array): void;
  /** Reports the bytes of a delivery, before its batch. */
  delivered(events: EventRing, at: number, bytes: Uint8Array, isBinary: boolean): void;
  /** `candidates` takes the deliveries in the bytes, to hand them over among the others. */
  raw(events: EventRing, at: number, arena: Buffer, start: number, end: number, candidates: Candidates): void;
  position(client: number, bytes: Buffer, start: number, end: number): void;
  /** Reports a TLS handshake, right before `opened`. */
  shaken(events: EventRing, at: number, version: Buffer): void;
  /** `reason` is OpenSSL's. */
  closed(events: EventRing, at: number, reason: Buffer): void;
  deliveries(batch: DeliveryBatch): void;
  acknowledgements(batch: DeliveryBatch): void;
}

/** Reads the rings of one thread. Places are counts modulo 2^32, which their sizes divide. */
export class LoopInbox {
  readonly #candidates = new Candidates();
  /** Heads of the rings at the last reading, by `ringAt`. */
  readonly #heads = new Uint32Array(3);

  constructor(
    private readonly loop: LoopMemory,
    private readonly reader: InboxReader,
  ) {}

  /** Reads the heads in the reverse order of publishing, so a delivery's client was opened before. */
  look(): void {
    for (const at of [ringAt.deliveries, ringAt.acknowledgements, ringAt.events])
      this.#heads[at] = Atomics.load(this.loop.heads, at);
  }

  /** Hands over all entries up to the last reading. */
  take(): void {
    const [deliveries, acknowledgements, events] = this.#heads as unknown as [number, number, number];
    const { tails } = this.loop;
    this.#takeEvents(tails[ringAt.events]!, events);
    eachBatch(this.loop.acknowledgements, tails[ringAt.acknowledgements]!, acknowledgements, (batch) => {
      if (this.reader.isListening()) this.reader.acknowledgements(batch);
    });
    this.#takeDeliveries(tails[ringAt.deliveries]!, deliveries);
    for (const at of [ringAt.deliveries, ringAt.acknowledgements, ringAt.events])
      Atomics.store(tails, at, this.#heads[at]!);
  }

  #takeEvents(tail: number, head: number): void {
    const { events } = this.loop;
    const size = events.kind.length;
    for (let count = tail; count !== head; count = (count + 1) >>> 0) {
      if (!this.reader.isListening()) return;
      this.#takeEvent(events, count % size);
    }
  }

  #takeEvent(events: EventRing, at: number): void {
    const { loop, reader } = this;
    const kind = events.kind[at]!;
    const start = events.offset[at]!;
    const end = start + events.length[at]!;
    if (kind === eventKind.opened) reader.opened(events, at, loop.arena, start, end);
    else if (kind === eventKind.shaken) reader.shaken(events, at, loop.arena.subarray(start, end));
    else if (kind === eventKind.closed) reader.closed(events, at, loop.arena.subarray(start, end));
    else if (kind === eventKind.position) reader.position(events.client[at]!, loop.arena, start, end);
    else if (kind === eventKind.raw) reader.raw(events, at, loop.arena, start, end, this.#candidates);
    else this.#takeMessage(events, at, kind, loop.arena.subarray(start, end));
  }

  #takeMessage(events: EventRing, at: number, kind: number, bytes: Buffer): void {
    const { reader } = this;
    if (kind === eventKind.pong) reader.ponged(events, at, bytes);
    else if (kind === eventKind.deliveryText) reader.delivered(events, at, bytes, false);
    else if (kind === eventKind.deliveryBinary) reader.delivered(events, at, bytes, true);
    else reader.talk(events, at, bytes, kind === eventKind.binary);
  }

  #takeDeliveries(tail: number, head: number): void {
    const hand = (batch: DeliveryBatch): void => {
      if (this.reader.isListening()) this.reader.deliveries(batch);
    };
    let from = tail;
    for (let next = this.#candidates.next(from, head); next !== undefined; next = this.#candidates.next(from, head)) {
      eachBatch(this.loop.deliveries, from, next.behind, hand);
      hand(next.batch);
      from = next.behind;
    }
    eachBatch(this.loop.deliveries, from, head, hand);
  }
}

function eachBatch(ring: DeliveryRing, tail: number, head: number, hand: (batch: DeliveryBatch) => void): void {
  eachPiece(ring.client.length, tail, head, (start, end) => hand(batchOf(ring, start, end)));
}

function batchOf(ring: DeliveryRing, start: number, end: number): DeliveryBatch {
  return {
    count: end - start,
    client: ring.client.subarray(start, end),
    sequence: ring.sequence.subarray(start, end),
    receivedAtNs: ring.receivedAtNs.subarray(start, end),
    notBeforeNs: ring.notBeforeNs.subarray(start, end),
    flags: ring.flags.subarray(start, end),
  };
}

/** Accounts that threads and JavaScript share for each client. Client i is number i / n of thread i modulo n. */
export class Accounts {
  constructor(private readonly loops: readonly Pick<LoopMemory, 'accounts'>[]) {}

  #loop(client: number): LoopMemory['accounts'] {
    return this.loops[client % this.loops.length]!.accounts;
  }

  #word(client: number, at: number): number {
    return Math.floor(client / this.loops.length) * account.words + at;
  }

  /** Returns the time when all bytes of the client had left, or Infinity while some wait. */
  leftAtNs(client: number): number {
    const { words, doubles } = this.#loop(client);
    if (Atomics.load(words, this.#word(client, account.waitingBytes)) > 0) return Number.POSITIVE_INFINITY;
    return doubles[Math.floor(client / this.loops.length) * account.doubles + account.leftNs]!;
  }

  /** Returns the number of the client's bytes that the kernel has yet to take. */
  buffered(client: number): number {
    const { words } = this.#loop(client);
    const waiting = Atomics.load(words, this.#word(client, account.waitingBytes));
    return waiting + Atomics.load(words, this.#word(client, account.underWay));
  }

  /** Returns the number of the client's sends of the run that no write has begun. */
  unsent(client: number): number {
    return Atomics.load(this.#loop(client).words, this.#word(client, account.unsent));
  }

  /** Confirms the first `judged` items from the thread as valid. A connection with answers under way needs `trust`. */
  judge(client: number, judged: number): void {
    Atomics.store(this.#loop(client).words, this.#word(client, account.judged), judged);
  }
}

/** Receives the reports that threads make to an engine. */
export interface ThreadsReader extends InboxReader {
  sends(batch: SendBatch): void;
  /** Runs before the published entries are read. */
  woke(): void;
}

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
    this.commands = new Commands(addon, handle, memories.length);
    this.accounts = new Accounts(this.#loops);
    this.posted = new PostedSends(this.commands, this.#loops, (batch) => reader.sends(batch));
    this.#inboxes = this.#loops.map((loop) => new LoopInbox(loop, reader));
  }

  /** Reads the rings for sends after those for deliveries, so that no delivery answers an unknown send. */
  #wake(): void {
    if (!this.reader.isListening()) return;
    this.reader.woke();
    for (const inbox of this.#inboxes) inbox.look();
    reportPostedSends();
    for (const inbox of this.#inboxes) inbox.take();
  }

  stats(): Omit<EngineStats, 'exact' | 'bracketed' | 'unstamped'> {
    const all = { reads: 0, clockSteps: 0, loops: this.#loops.length, cpuNs: 0, coreWaitNs: 0 };
    for (const { reads, clockSteps, tid } of this.#loops) {
      const { cpuNs, coreWaitNs } = readThreadTimes(tid[0]!);
      all.reads += reads[0]!;
      all.clockSteps = Math.max(all.clockSteps, Atomics.load(clockSteps, 0));
      all.cpuNs += cpuNs;
      all.coreWaitNs += coreWaitNs;
    }
    return all;
  }

  heldUpNs(): number {
    return this.#loops.reduce((sum, { heldUpNs }) => sum + heldUpNs[0]!, 0);
  }

  dispose(): void {
    this.commands.stop();
    this.addon.dispose(this.#handle);
    this.posted.forget();
  }
}
