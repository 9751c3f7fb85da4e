import type { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { notZero } from '../books/ledger.js';
import { lastsMs } from '../pace.js';
import { Ramp } from '../roster/ramp.js';
import { Roster, type RosterHooks } from '../roster/roster.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { RateMeter, SendSchedule } from '../traffic/send-schedule.js';
import { leftLaterAtNs, Sends } from '../traffic/sends.js';
import { WhisperBook } from './book.js';
import { type WhisperOptions, whispersEach } from './options.js';
import { Rooms } from './rooms.js';

/** Interval at which missing whispers are looked for. */
const tickMs = 20;

/** Holds the clients of one worker, each of which whispers into its room on its own schedule. */
export class WhisperAudience implements Role {
  readonly #context: AudienceContext<WhisperOptions>;
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  readonly #rooms: Rooms;
  readonly #sendsEach: number;
  readonly #schedule: SendSchedule;
  readonly #sends: Sends;
  readonly #book: WhisperBook;
  readonly #lag: Recorder;
  readonly #rates = { offered: new RateMeter(), achieved: new RateMeter(), received: new RateMeter() };
  readonly #unsent = { gone: 0, unread: 0 };
  /** Start of the schedule; 0 before that. */
  #startAtNs = 0;

  constructor(context: AudienceContext<WhisperOptions>) {
    this.#context = context;
    const { options, totalClients } = context;
    this.#sendsEach = whispersEach(options);
    this.#schedule = new SendSchedule({
      ...context,
      ratePerSecond: options.ratePerSecond,
      sendsEach: this.#sendsEach,
    });
    this.#sends = new Sends(context.nowNs, {
      say: (clients, client, sequence, dueNs) => clients.whisper?.(client, this.#streamOf(client), sequence, dueNs),
      sent: (client, sequence, sentAtNs, writtenAtNs) =>
        this.#sent(client, this.#rooms.numberOf(sequence), sentAtNs, writtenAtNs),
      unsent: (_client, sequence, why) => this.#notSent(this.#rooms.numberOf(sequence), why),
    });
    this.#rooms = new Rooms(totalClients, options.room, this.#sendsEach);
    this.#book = new WhisperBook({
      leftLaterAtNs: (client) => leftLaterAtNs(this.#roster.clients, client),
      ...context,
      rooms: this.#rooms,
      sendsEach: this.#sendsEach,
      warmUp: options.warmUp,
    });
    this.#lag = context.recorder();
    const hooks: RosterHooks = {
      prove: (clients, client) => clients.subscribe(client, this.#streamOf(client)),
      deliveries: (batch) => this.#take(batch),
      sends: (batch) => this.#sends.take(batch),
    };
    this.#roster = new Roster(context, hooks, tickMs);
    this.#ramp = new Ramp(this.#roster, {
      subscribed: (client) => this.#book.admit(client),
      lost: (client, cause) => this.#lost(client, cause),
    });
  }

  #streamOf(client: number): string {
    return `${this.#context.stream}-${this.#rooms.roomOf(this.#context.firstClient + client)}`;
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond, drainMs } = this.#context.options;
    if (name === 'ramp') await this.#ramp.run(startAtNs, { ratePerSecond }, signal);
    if (name === 'whisper') await this.#whisper(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs + drainMs * 1e6, signal);
  }

  async #whisper(startAtNs: number, signal: AbortSignal): Promise<void> {
    this.#startAtNs = startAtNs;
    this.#roster.hasClients('whisper by');
    const { clients } = this.#roster;
    const isOpen = (client: number): boolean => this.#roster.isSubscribed(client);
    const ahead = (client: number, number: number, dueNs: number): boolean =>
      isOpen(client) && this.#sends.ahead(clients, client, this.#sequenceOf(client, number), dueNs);
    await this.#schedule.walk(startAtNs, this.#context, signal, {
      ahead: clients?.sendsAhead ? ahead : undefined,
      due: (client, number) => {
        if (isOpen(client)) this.#sends.now(clients, client, this.#sequenceOf(client, number));
        else this.#notSent(number, 'gone');
      },
      isSettled: () => this.#sends.isSettled,
    });
  }

  #sequenceOf(client: number, number: number): number {
    return this.#rooms.sequenceOf(this.#context.firstClient + client, number);
  }

  #notSent(number: number, why: 'gone' | 'unread'): void {
    if (number >= this.#context.options.warmUp) this.#unsent[why]++;
  }

  #sent(client: number, number: number, sentAtNs: number, writtenAtNs: number): void {
    const intendedAtNs = this.#startAtNs + this.#schedule.dueNs(client, number);
    this.#book.send(client, number, { intendedAtNs, sentAtNs, writtenAtNs });
    if (number < this.#context.options.warmUp) return;
    this.#lag.record((sentAtNs - intendedAtNs) / 1000);
    this.#rates.offered.count(intendedAtNs);
    this.#rates.achieved.count(sentAtNs);
    this.#roster.timeline.count('sent', sentAtNs);
  }

  #take(batch: DeliveryBatch): void {
    const before = this.#book.received;
    this.#book.take(batch);
    const atNs = batch.receivedAtNs[batch.count - 1] as number;
    for (let n = before; n < this.#book.received; n++) {
      this.#rates.received.count(atNs);
      this.#roster.timeline.count('received', atNs);
    }
  }

  async #drain(endNs: number, signal: AbortSignal): Promise<void> {
    await this.#roster.waitUntil((nowNs) => nowNs >= endNs || this.#isComplete(), signal);
    this.#book.close();
  }

  #isComplete(): boolean {
    for (let client = 0; client < this.#context.clientCount; client++) {
      if (this.#roster.isSubscribed(client) && !this.#book.hasAll(client)) return false;
    }
    return true;
  }

  #lost(client: number, cause: string): void {
    if (this.#startAtNs === 0) this.#book.dismiss(client);
    else this.#roster.lostOne(cause);
  }

  progress(): Record<string, number> {
    return { ...this.#ramp.progress(), sent: this.#book.sent, received: this.#book.received };
  }

  bins(): Uint32Array {
    return this.#book.deliveryBins;
  }

  /** Withdraws whispers that a target never read, as they count as not sent. */
  #withdrawUnsent(): void {
    for (let client = 0; client < this.#context.clientCount; client++) {
      this.#unsent.unread += this.#book.withdraw(client, this.#roster.clients?.unsent?.(client) ?? 0);
    }
  }

  report(): RoleReport {
    this.#withdrawUnsent();
    const { counts, causes, timeline, ramp } = this.#ramp.report();
    const book = this.#book.report();
    const { offered, achieved, received } = this.#rates;
    const { totalClients, options } = this.#context;
    return {
      counts: {
        ...counts,
        ...book.counts,
        unsent: this.#unsent.gone + this.#unsent.unread,
        offeredPerSecond: offered.perSecond,
        achievedPerSecond: achieved.perSecond,
      },
      causes: { ...causes, unsent: notZero(this.#unsent) },
      timeline,
      longestMs: { deliveries: received.lastsMsFrom(achieved, lastsMs(1, totalClients * options.ratePerSecond)) },
      samples: {
        ...book.samples,
        publishLag: this.#lag.finish(),
        ...ramp,
      },
      series: book.series,
    };
  }

  dispose(): void {
    this.#roster.dispose();
  }
}
