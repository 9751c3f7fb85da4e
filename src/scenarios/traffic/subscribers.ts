import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Deliveries, type DeliveriesMore } from '../books/deliveries.js';
import { Attendance } from '../books/presence.js';
import { dueAtNs, lastsMs } from '../pace.js';
import { Ramp } from '../roster/ramp.js';
import { Roster } from '../roster/roster.js';
import { type VisitOptions, Visits } from '../roster/visits.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';

/** Options of subscribers. Where `stages` are given they have visitors beside them, and with a churn in their place. */
export type SubscriberOptions = VisitOptions & {
  churnPerSecond?: number | undefined;
  rampRatePerSecond: number;
  ratePerSecond: number;
  warmUp: number;
  drainMs: number;
};

/** Changes of a scenario to the counting of its audience. */
export interface SubscribersMore extends Pick<DeliveriesMore, 'isTimed'> {
  /** Called after each batch is counted. */
  taken?(batch: DeliveryBatch): void;
}

/** Holds the subscribers of one worker, and the visitors that come and go while broadcasts flow. */
export class Subscribers implements Role {
  readonly book: Deliveries;
  readonly roster: Roster;
  readonly visits: Visits;
  readonly #context: AudienceContext<SubscriberOptions>;
  readonly #ramp: Ramp;
  readonly #attendance: Attendance;
  #isPublishing = false;

  constructor(context: AudienceContext<SubscriberOptions>, { taken, ...more }: SubscribersMore = {}) {
    this.#context = context;
    this.roster = new Roster(context, {
      deliveries: (batch) => {
        this.book.take(batch);
        taken?.(batch);
      },
    });
    this.#ramp = new Ramp(this.roster, {
      subscribed: (client) => this.book.admit(client),
      lost: (client, cause) => this.#lost(client, cause),
    });
    const { churnPerSecond: perSecond, ratePerSecond } = context.options;
    const churn = perSecond && { perSecond, scheduleMs: lastsMs(context.board.size, ratePerSecond) };
    const hooks = {
      arrived: (client: number, toNs: number) => {
        this.#attendance.admit(client, context.nowNs(), toNs);
        this.book.admit(client);
      },
      cut: (_client: number, cause: string) => this.roster.lostOne(cause),
      hasAll: (client: number) => this.book.hasAll(client),
      resident: (client: number, toNs: number) => this.#attendance.admit(client, 0, toNs),
    };
    this.visits = new Visits(this.roster, context, hooks, churn || undefined);
    const attendance = new Attendance(context, this.visits.firstLeaving);
    this.#attendance = attendance;
    this.book = new Deliveries(context, {
      ...more,
      ...(this.visits.isPlanned && { isOwed: (client, sequence) => attendance.isOwed(client, sequence) }),
    });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond, drainMs } = this.#context.options;
    if (name === 'ramp') await this.#ramp.run(startAtNs, { ratePerSecond, upTo: this.visits.staying }, signal);
    if (name === 'publish') {
      this.#isPublishing = true;
      this.roster.hasClients('publish to');
      if (this.visits.isPlanned) await this.#receive(startAtNs, signal);
    }
    if (name === 'drain') await this.#drain(startAtNs + drainMs * 1e6, signal);
  }

  /** Lasts as long as broadcasts are published. */
  async #receive(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options, board } = this.#context;
    this.#attendance.begin(startAtNs);
    this.visits.begin(startAtNs);
    const endNs = startAtNs + dueAtNs(board.size, options.ratePerSecond);
    await this.#waitUntil((nowNs) => nowNs >= endNs, signal);
  }

  async #drain(endNs: number, signal: AbortSignal): Promise<void> {
    const isThere = (client: number): boolean => this.roster.isThere(client);
    await this.#waitUntil((nowNs) => nowNs >= endNs || this.book.haveAll(isThere), signal);
    this.book.close();
  }

  async #waitUntil(isOver: (nowNs: number) => boolean, signal: AbortSignal): Promise<void> {
    await this.roster.waitUntil(isOver, signal, () => this.visits.tick());
  }

  #lost(client: number, cause: string): void {
    if (!this.#isPublishing) this.book.dismiss(client);
    else this.roster.lostOne(cause);
  }

  progress(): Record<string, number> {
    return { ...this.#ramp.progress(), received: this.book.received, ...this.visits.progress() };
  }

  bins(): Uint32Array {
    return this.book.deliveryBins;
  }

  report(): RoleReport {
    const book = this.book.report();
    const { counts, causes, timeline, ramp } = this.#ramp.report();
    return this.visits.reportWith({
      counts: { ...counts, ...book.counts },
      causes,
      timeline,
      samples: { ...book.samples, ...ramp },
      series: book.series,
    });
  }

  dispose(): void {
    this.roster.dispose();
  }
}
