import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { draw } from '../draws.js';
import { Ramp } from '../roster/ramp.js';
import { Roster } from '../roster/roster.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { isHandedOver, leftLaterAtNs } from '../traffic/sends.js';
import { DeliveryBook } from './book.js';
import { clientsUpTo, workerSlots } from './deal.js';
import { ClosedLoop } from './loop.js';
import { parseLimit, type StepsOptions } from './options.js';

/** Interval at which unanswered operations are looked for. */
const tickMs = 5;

/** Holds the clients of one worker, which come in steps and send this worker's part of the closed loop. */
export class StepsAudience implements Role {
  readonly #context: AudienceContext<StepsOptions>;
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  readonly #book: DeliveryBook;
  readonly #loop: ClosedLoop;
  readonly #isEcho: boolean;
  #asked = 0;
  /** Clients of the running step that were connected when it began. */
  #open: readonly number[] = [];

  constructor(context: AudienceContext<StepsOptions>) {
    this.#context = context;
    const { options, board, nowNs, recorder } = context;
    const { steps, sample } = options;
    this.#isEcho = options.mode === 'echo';
    this.#book = new DeliveryBook(context);
    this.#loop = new ClosedLoop({
      ...{ steps, sample, concurrent: options.concurrent, board, nowNs, recorder },
      slots: workerSlots(context, options),
      limit: options.limit === undefined ? undefined : parseLimit(options.limit),
      sender: (sequence) => this.#senderOf(sequence),
      send: (client, sequence) => this.#send(client, sequence),
      isHandedOver: (client) => isHandedOver(this.#roster.clients, client),
      leftLaterAtNs: (client) => leftLaterAtNs(this.#roster.clients, client),
    });
    this.#roster = new Roster(context, {
      deliveries: (batch) => (this.#isEcho ? this.#answer(batch) : this.#book.take(batch)),
      acknowledgements: (batch) => this.#answer(batch),
    });
    this.#ramp = new Ramp(this.#roster, { lost: (_client, cause) => this.#lost(cause) });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal, round = 0): Promise<void> {
    const { options } = this.#context;
    if (name === 'ramp') {
      this.#asked = clientsUpTo(this.#context, round + 1, options.steps);
      const plan = { ratePerSecond: options.rampRatePerSecond, upTo: this.#asked };
      await this.#ramp.run(startAtNs, plan, signal);
      // The step begins here and not at this shard's first send: another shard may by then have sent for a while.
      if (!signal.aborted) this.#book.begin((client) => this.#roster.isSubscribed(client));
    }
    if (name === 'send') await this.#sendAll(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs + options.drainMs * 1e6, signal);
  }

  async #sendAll(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { nowNs, sleep, clientCount, options } = this.#context;
    const isOpen = (client: number): boolean => this.#roster.isSubscribed(client);
    this.#open = Array.from({ length: clientCount }, (_, client) => client).filter(isOpen);
    await sleep((startAtNs - nowNs()) / 1e6, signal);
    if (signal.aborted) return;
    this.#loop.begin();
    while (!signal.aborted && !this.#loop.isIdle) {
      await sleep(tickMs, signal);
      this.#loop.giveUpBefore(nowNs() - options.drainMs * 1e6);
    }
    if (signal.aborted) this.#loop.end();
  }

  async #drain(endNs: number, signal: AbortSignal): Promise<void> {
    const isOpen = (client: number): boolean => this.#roster.isSubscribed(client);
    const isComplete = (): boolean => this.#loop.isIdle && (this.#isEcho || this.#book.isComplete(isOpen));
    await this.#roster.waitUntil((nowNs) => nowNs >= endNs || isComplete(), signal);
    this.#book.close();
  }

  /**
   * Draws a client among those connected when the step began. If that one is gone, takes the next that is still open.
   */
  #senderOf(sequence: number): number {
    const count = this.#open.length;
    const drawn = Math.floor(draw(this.#context.seed, 'sender', sequence, 0) * count);
    for (let n = 0; n < count; n++) {
      const client = this.#open[(drawn + n) % count] as number;
      if (this.#roster.isSubscribed(client)) return client;
    }
    return -1;
  }

  #send(client: number, sequence: number): boolean {
    const { clients } = this.#roster;
    const isSent = this.#isEcho
      ? clients?.echo?.(client, sequence)
      : clients?.broadcast?.(client, this.#context.stream, sequence);
    return isSent ?? false;
  }

  #answer(batch: DeliveryBatch): void {
    for (let i = 0; i < batch.count; i++) this.#loop.answer(batch, i);
  }

  #lost(cause: string): void {
    if (this.#open.length > 0) this.#roster.lostOne(cause);
  }

  progress(): Record<string, number> {
    const { sent, answered, held } = this.#loop;
    const received = this.#isEcho ? answered : this.#book.received;
    return { ...this.#ramp.progress(), sent, answered, received, ...held };
  }

  report(): RoleReport {
    const { counts, causes, timeline, ramp } = this.#ramp.report();
    const book = this.#book.report();
    const loop = this.#loop.report();
    const { sent, unanswered } = loop.series as Record<'sent' | 'unanswered', Uint32Array>;
    const deliveries = this.#isEcho
      ? { owed: sent, delivered: sent.map((each, n) => each - (unanswered[n] as number)), missing: unanswered }
      : book.series;
    return {
      counts: {
        ...counts,
        ...sumCounts([book.counts, loop.counts, this.#isEcho ? { received: this.#loop.answered } : {}]),
        asked: this.#asked,
        subscribers: this.#book.mostMembers,
      },
      causes,
      timeline,
      samples: { ...ramp, ...loop.samples, ...book.samples },
      series: { members: book.series.members as Uint32Array, ...loop.series, ...deliveries },
    };
  }

  dispose(): void {
    this.#roster.dispose();
  }
}
