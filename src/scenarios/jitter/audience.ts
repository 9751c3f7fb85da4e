import { sumCounts } from '../../measure/samples/sample-sum.js';
import { Deliveries } from '../books/deliveries.js';
import { ClientPresence } from '../books/presence.js';
import { dueAtNs } from '../pace.js';
import { Drops } from '../roster/drops.js';
import { Ramp } from '../roster/ramp.js';
import { Roster } from '../roster/roster.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import type { JitterOptions } from './options.js';

/** Holds the subscribers of one worker, each of which loses its network again and again. */
export class JitterAudience implements Role {
  readonly #context: AudienceContext<JitterOptions>;
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  readonly #drops: Drops;
  readonly #presence: ClientPresence;
  readonly #book: Deliveries;

  constructor(context: AudienceContext<JitterOptions>) {
    this.#context = context;
    this.#presence = new ClientPresence(context, context.clientCount);
    this.#book = new Deliveries(context, { presence: this.#presence });
    this.#roster = new Roster(context, { deliveries: (batch) => this.#book.take(batch) });
    this.#ramp = new Ramp(this.#roster, {
      subscribed: (client) => this.#book.admit(client),
      lost: (client) => this.#book.dismiss(client),
    });
    this.#drops = new Drops(this.#roster, context.options, this.#presence);
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond } = this.#context.options;
    if (name === 'ramp') await this.#ramp.run(startAtNs, { ratePerSecond }, signal);
    if (name === 'publish') await this.#publish(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs, signal);
  }

  /** Lasts until all are back from the last window, so that the drain is the same for every client. */
  async #publish(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options, board } = this.#context;
    const { warmUp, ratePerSecond, offlineMs, drainMs } = options;
    const endNs = startAtNs + dueAtNs(board.size, ratePerSecond);
    if (this.#roster.hasClients('publish to')) {
      this.#presence.begin(startAtNs);
      const lengthMs = ((board.size - warmUp) * 1000) / ratePerSecond;
      this.#drops.begin(startAtNs, startAtNs + dueAtNs(warmUp, ratePerSecond), { ...options, lengthMs });
    }
    const limitNs = endNs + (offlineMs + drainMs) * 1e6;
    const isOver = (nowNs: number): boolean => nowNs >= limitNs || (nowNs >= endNs && this.#areAllThere);
    await this.#roster.waitUntil(isOver, signal, () => this.#drops.tick());
  }

  get #areAllThere(): boolean {
    return this.#drops.returning.away === 0;
  }

  async #drain(startAtNs: number, signal: AbortSignal): Promise<void> {
    const endNs = startAtNs + this.#context.options.drainMs * 1e6;
    const isOver = (nowNs: number): boolean =>
      nowNs >= endNs || (this.#areAllThere && this.#book.haveAll((client) => this.#roster.isThere(client)));
    await this.#roster.waitUntil(isOver, signal, () => this.#drops.tick());
    this.#book.close();
  }

  progress(): Record<string, number> {
    const { returning, drops } = this.#drops;
    const { away } = returning;
    const subscribers = this.#roster.there + away;
    return { ...this.#ramp.progress(), subscribers, offline: away, drops, received: this.#book.received };
  }

  bins(): Uint32Array {
    return this.#book.deliveryBins;
  }

  report(): RoleReport {
    const book = this.#book.report();
    const ramp = this.#ramp.report();
    const drops = this.#drops.report();
    return {
      counts: {
        ...ramp.counts,
        ...book.counts,
        ...drops.counts,
        open: ramp.counts.open + this.#drops.returning.members,
      },
      causes: {
        ...drops.causes,
        connect: ramp.causes.connect,
        close: sumCounts([ramp.causes.close, drops.causes.close]),
      },
      timeline: ramp.timeline,
      samples: { ...book.samples, ...drops.samples },
      series: book.series,
    };
  }

  dispose(): void {
    this.#roster.dispose();
  }
}
