import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Arrivals, type ArrivalsMore } from '../broadcasts/arrivals.js';
import { diverted, type LaterClients } from '../divert.js';
import { Audience } from '../roles/audience.js';
import { Connections } from '../roles/connections.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import type { LatencyOptions } from './options.js';

/** The subscribers of one worker, each proven, and the books of what reaches them. */
export class LatencyAudience<O extends LatencyOptions = LatencyOptions> extends Audience<O> {
  protected readonly arrivals: Arrivals;
  protected readonly connections: Connections;
  #isPublishing = false;

  /** `later` gets the events of its clients, as they come later, or leave and come back. */
  constructor(context: AudienceContext<O>, more: ArrivalsMore = {}, later?: LaterClients) {
    super(context);
    this.arrivals = new Arrivals(context, more);
    this.connections = new Connections(later ? diverted(context, later) : context, {
      subscribed: (client) => this.arrivals.admit(client),
      lost: (client, cause) => this.#lost(client, cause),
      deliveries: (batch) => this.take(batch),
    });
  }

  protected take(batch: DeliveryBatch): void {
    this.arrivals.take(batch);
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond, drainMs } = this.context.options;
    if (name === 'ramp') await this.connections.ramp(startAtNs, { ratePerSecond }, signal);
    if (name === 'publish') {
      this.#isPublishing = true;
      this.hasClients('publish to');
    }
    if (name === 'drain') await this.#drain(startAtNs + drainMs * 1e6, signal);
  }

  async #drain(endNs: number, signal: AbortSignal): Promise<void> {
    const isMember = (client: number): boolean => this.isThere(client);
    const isComplete = (): boolean => this.arrivals.haveAll({ members: this.connections.open, isMember });
    await this.waitUntil(
      (nowNs) => nowNs >= endNs || isComplete(),
      signal,
      () => this.tick(),
    );
    this.arrivals.close();
  }

  /** Whether the client is there, so that its deliveries are awaited. */
  protected isThere(client: number): boolean {
    return this.connections.isOpen(client);
  }

  /** Called all along the drain. */
  protected tick(): void {
    // These clients do nothing of their own.
  }

  #lost(client: number, cause: string): void {
    if (!this.#isPublishing) this.arrivals.dismiss(client);
    else this.lostOne(cause);
  }

  override progress(): Record<string, number> {
    return { ...this.connections.progress(), received: this.arrivals.received };
  }

  bins(): Uint32Array {
    return this.arrivals.deliveryBins;
  }

  report(): RoleReport {
    const arrivals = this.arrivals.report();
    const { counts, causes, timeline, ramp } = this.connections.report();
    return {
      counts: { ...counts, ...arrivals.counts },
      causes,
      timeline,
      samples: { ...arrivals.samples, ...ramp },
      series: arrivals.series,
    };
  }
}
