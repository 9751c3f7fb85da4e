import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { Cause } from '../../protocols/protocol.js';
import { Arrivals } from '../broadcasts/arrivals.js';
import { dueAtNs } from '../pace.js';
import { Audience } from '../roles/audience.js';
import { diverted } from '../roles/connection-events.js';
import { Connections } from '../roles/connections.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import { Absences } from './absences.js';
import type { JitterOptions } from './options.js';

/** Holds the subscribers of one worker, each of which loses its network again and again. */
export class JitterAudience extends Audience<JitterOptions> {
  protected readonly connections: Connections;
  readonly #arrivals: Arrivals;
  readonly #absences: Absences;

  constructor(context: AudienceContext<JitterOptions>) {
    super(context);
    this.#absences = new Absences(context);
    this.#arrivals = new Arrivals(context, { presence: this.#absences.presence });
    this.connections = new Connections(diverted(context, this.#absences), {
      subscribed: (client) => this.#arrivals.admit(client),
      lost: (client) => this.#arrivals.dismiss(client),
      deliveries: (batch) => this.#arrivals.take(batch),
    });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond } = this.context.options;
    if (name === 'ramp') await this.connections.ramp(startAtNs, { ratePerSecond }, signal);
    if (name === 'publish') await this.#publish(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs, signal);
  }

  /** Lasts until all are back from the last window, so that the drain is the same for every client. */
  async #publish(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options, board } = this.context;
    if (this.hasClients('publish to')) {
      const stranded = (cause: Cause): void =>
        this.giveUp(`no client of a worker could come back any more, the last by ${cause}`);
      this.#absences.begin(startAtNs, this.connections, stranded);
    }
    const endNs = startAtNs + dueAtNs(board.size, options.ratePerSecond);
    const limitNs = endNs + (options.offlineMs + options.drainMs) * 1e6;
    const isOver = (nowNs: number): boolean => nowNs >= limitNs || (nowNs >= endNs && this.#absences.away === 0);
    await this.waitUntil(isOver, signal, () => this.#absences.tick());
  }

  async #drain(startAtNs: number, signal: AbortSignal): Promise<void> {
    const endNs = startAtNs + this.context.options.drainMs * 1e6;
    const isOver = (nowNs: number): boolean =>
      nowNs >= endNs || (this.#absences.away === 0 && this.#arrivals.haveAll(this.#absences));
    await this.waitUntil(isOver, signal, () => this.#absences.tick());
    this.#arrivals.close();
  }

  override progress(): Record<string, number> {
    const { away, drops } = this.#absences;
    return { ...this.connections.progress(), offline: away, drops, received: this.#arrivals.received };
  }

  bins(): Uint32Array {
    return this.#arrivals.deliveryBins;
  }

  report(): RoleReport {
    const arrivals = this.#arrivals.report();
    const connections = this.connections.report();
    const absences = this.#absences.report();
    return {
      counts: { ...connections.counts, ...arrivals.counts, ...absences.counts },
      causes: {
        ...absences.causes,
        connect: connections.causes.connect ?? {},
        close: sumCounts([connections.causes.close ?? {}, absences.causes.close]),
      },
      timeline: connections.timeline,
      samples: { ...arrivals.samples, ...absences.samples },
      series: arrivals.series,
    };
  }
}
