import type { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { notZero } from '../books.js';
import { lastsMs } from '../pace.js';
import { Audience } from '../roles/audience.js';
import { Connections } from '../roles/connections.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import { isHandedOver, leftLaterAtNs } from '../sends/handed-over.js';
import { RateMeter } from '../sends/rates.js';
import { SendSchedule } from '../sends/schedule.js';
import { WhisperBook } from './book.js';
import { type WhisperOptions, whispersEach } from './options.js';
import { Rooms } from './rooms.js';

/** The clients of one worker, each of which whispers into its room on its own schedule. */
export class WhisperAudience extends Audience<WhisperOptions> {
  protected readonly connections: Connections;
  protected override readonly tickMs = 20;
  readonly #rooms: Rooms;
  readonly #sendsEach: number;
  readonly #book: WhisperBook;
  readonly #lag: Recorder;
  readonly #rates = { offered: new RateMeter(), achieved: new RateMeter(), received: new RateMeter() };
  readonly #unsent = { gone: 0, unread: 0 };
  #isWhispering = false;

  constructor(context: AudienceContext<WhisperOptions>) {
    super(context);
    const { options, totalClients } = context;
    this.#sendsEach = whispersEach(options);
    this.#rooms = new Rooms(totalClients, options.room, this.#sendsEach);
    this.#book = new WhisperBook({
      leftLaterAtNs: (client) => leftLaterAtNs(this.connections.clients, client),
      ...context,
      rooms: this.#rooms,
      sendsEach: this.#sendsEach,
      warmUp: options.warmUp,
    });
    this.#lag = context.recorder();
    this.connections = new Connections(context, {
      prove: (clients, client) => clients.subscribe(client, this.#streamOf(client)),
      subscribed: (client) => this.#book.admit(client),
      lost: (client, cause) => this.#lost(client, cause),
      deliveries: (batch) => this.#take(batch),
    });
  }

  #streamOf(client: number): string {
    return `${this.context.stream}-${this.#rooms.roomOf(this.context.firstClient + client)}`;
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond, drainMs } = this.context.options;
    if (name === 'ramp') await this.connections.ramp(startAtNs, { ratePerSecond }, signal);
    if (name === 'whisper') await this.#whisper(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs + drainMs * 1e6, signal);
  }

  async #whisper(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { ratePerSecond, warmUp } = this.context.options;
    this.#isWhispering = true;
    this.hasClients('whisper by');
    const sendsEach = this.#sendsEach;
    const schedule = new SendSchedule({ ...this.context, ratePerSecond, sendsEach });
    await schedule.walk(startAtNs, this.context, signal, (client, number, intendedAtNs) => {
      const isMeasured = number >= warmUp;
      if (this.connections.isOpen(client)) this.#send(client, number, intendedAtNs, isMeasured);
      else if (isMeasured) this.#unsent.gone++;
    });
  }

  #send(client: number, number: number, intendedAtNs: number, isMeasured: boolean): void {
    const sequence = this.#rooms.sequenceOf(this.context.firstClient + client, number);
    const { clients } = this.connections;
    const sentAtNs = this.context.nowNs();
    if (clients?.whisper?.(client, this.#streamOf(client), sequence) === false) {
      if (isMeasured) this.#unsent.unread++;
      return;
    }
    const writtenAtNs = isHandedOver(clients, client) ? this.context.nowNs() : 0;
    this.#book.send(client, number, { intendedAtNs, sentAtNs, writtenAtNs });
    if (!isMeasured) return;
    this.#lag.record((sentAtNs - intendedAtNs) / 1000);
    this.#rates.offered.count(intendedAtNs);
    this.#rates.achieved.count(sentAtNs);
    this.connections.timeline.count('sent', sentAtNs);
  }

  #take(batch: DeliveryBatch): void {
    const before = this.#book.received;
    this.#book.take(batch);
    const atNs = batch.receivedAtNs[batch.count - 1] as number;
    for (let n = before; n < this.#book.received; n++) {
      this.#rates.received.count(atNs);
      this.connections.timeline.count('received', atNs);
    }
  }

  async #drain(endNs: number, signal: AbortSignal): Promise<void> {
    await this.waitUntil((nowNs) => nowNs >= endNs || this.#isComplete(), signal);
    this.#book.close();
  }

  #isComplete(): boolean {
    for (let client = 0; client < this.context.clientCount; client++) {
      if (this.connections.isOpen(client) && !this.#book.hasAll(client)) return false;
    }
    return true;
  }

  #lost(client: number, cause: string): void {
    if (!this.#isWhispering) this.#book.dismiss(client);
    else this.lostOne(cause);
  }

  override progress(): Record<string, number> {
    return { ...this.connections.progress(), sent: this.#book.sent, received: this.#book.received };
  }

  bins(): Uint32Array {
    return this.#book.deliveryBins;
  }

  /** What a target never read was not sent. */
  #withdrawUnsent(): void {
    for (let client = 0; client < this.context.clientCount; client++) {
      this.#unsent.unread += this.#book.withdraw(client, this.connections.clients?.unsent?.(client) ?? 0);
    }
  }

  report(): RoleReport {
    this.#withdrawUnsent();
    const { counts, causes, timeline, ramp } = this.connections.report();
    const book = this.#book.report();
    const { offered, achieved, received } = this.#rates;
    const { totalClients, options } = this.context;
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
}
