import type { DeliveryBatch } from '../../protocols/protocol.js';
import { dueAtNs } from '../pace.js';
import { Audience } from '../roles/audience.js';
import { diverted } from '../roles/connection-events.js';
import { Connections } from '../roles/connections.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import { Attendance, progressWith, reportWith } from '../visits/audience.js';
import { type VisitOptions, Visitors } from '../visits/visitors.js';
import { Arrivals } from './arrivals.js';

/** Options of an audience of broadcasts. Where `stages` are given it has visitors. */
export type BroadcastAudienceOptions = VisitOptions & {
  rampRatePerSecond: number;
  ratePerSecond: number;
  warmUp: number;
  drainMs: number;
};

/** Changes of a scenario to the counting of its audience. */
export interface BroadcastAudienceMore {
  /** False where all sends are only counted, as broadcasts of other shards are. */
  isTimed?: boolean;
  /** Called after each batch is counted. */
  taken?(batch: DeliveryBatch): void;
}

/** Holds the subscribers of one worker, and the visitors that come and go while broadcasts flow. */
export class BroadcastAudience extends Audience<BroadcastAudienceOptions> {
  readonly arrivals: Arrivals;
  readonly connections: Connections;
  /** True where stages are given, so that clients come and go. */
  readonly isVisited: boolean;
  readonly #visitors: Visitors;
  readonly #attendance: Attendance;
  #isPublishing = false;

  constructor(context: AudienceContext<BroadcastAudienceOptions>, { isTimed, taken }: BroadcastAudienceMore = {}) {
    super(context);
    this.isVisited = context.options.stages !== undefined;
    this.#visitors = new Visitors(context);
    this.#attendance = new Attendance(context, this.#visitors.staying);
    const arrivals = new Arrivals(context, {
      ...(isTimed !== undefined && { isTimed }),
      ...(this.isVisited && { owing: this.#attendance }),
    });
    this.arrivals = arrivals;
    this.connections = new Connections(diverted(context, this.#visitors), {
      subscribed: (client) => arrivals.admit(client),
      lost: (client, cause) => this.#lost(client, cause),
      deliveries(batch) {
        arrivals.take(batch);
        taken?.(batch);
      },
    });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond, drainMs } = this.context.options;
    if (name === 'ramp')
      await this.connections.ramp(startAtNs, { ratePerSecond, upTo: this.#visitors.staying }, signal);
    if (name === 'publish') {
      this.#isPublishing = true;
      this.hasClients('publish to');
      if (this.isVisited) await this.#receive(startAtNs, signal);
    }
    if (name === 'drain') await this.#drain(startAtNs + drainMs * 1e6, signal);
  }

  /** Lasts as long as broadcasts are published. */
  async #receive(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options, board } = this.context;
    this.#attendance.begin(startAtNs);
    this.#visitors.begin(startAtNs, this.connections, {
      arrived: (client, toNs) => this.#arrived(client, toNs),
      cut: (_client, cause) => this.lostOne(cause),
      hasAll: (client) => this.arrivals.hasAll(client),
    });
    const endNs = startAtNs + dueAtNs(board.size, options.ratePerSecond);
    const tick = (): void => this.#visitors.tick();
    await this.waitUntil((nowNs) => nowNs >= endNs, signal, tick);
  }

  #arrived(client: number, toNs: number): void {
    this.#attendance.admit(client, this.context.nowNs(), toNs);
    this.arrivals.admit(client);
  }

  async #drain(endNs: number, signal: AbortSignal): Promise<void> {
    const isMember = (client: number): boolean => this.connections.isOpen(client) || this.#visitors.isThere(client);
    const isComplete = (): boolean => this.arrivals.haveAll({ members: this.connections.open, isMember });
    const tick = (): void => this.#visitors.tick();
    await this.waitUntil((nowNs) => nowNs >= endNs || isComplete(), signal, tick);
    this.arrivals.close();
  }

  #lost(client: number, cause: string): void {
    if (!this.#isPublishing) this.arrivals.dismiss(client);
    else this.lostOne(cause);
  }

  protected override get clientsLeft(): number {
    return this.connections.open + this.#visitors.left;
  }

  override progress(): Record<string, number> {
    const progress = { ...this.connections.progress(), received: this.arrivals.received };
    return this.isVisited ? progressWith(progress, this.#visitors) : progress;
  }

  bins(): Uint32Array {
    return this.arrivals.deliveryBins;
  }

  report(): RoleReport {
    const arrivals = this.arrivals.report();
    const { counts, causes, timeline, ramp } = this.connections.report();
    const report = {
      counts: { ...counts, ...arrivals.counts },
      causes,
      timeline,
      samples: { ...arrivals.samples, ...ramp },
      series: arrivals.series,
    };
    return this.isVisited ? reportWith(report, this.#visitors) : report;
  }
}
