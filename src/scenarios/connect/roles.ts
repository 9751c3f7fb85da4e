import { Audience } from '../roles/audience.js';
import { Connections } from '../roles/connections.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import type { ConnectOptions } from './options.js';

/** As fast as the concurrency allows: a schedule that is always ahead. */
const unpacedPerSecond = 1e9;

/** Opens connections on a schedule, or with a fixed number of handshakes under way, and times each part. */
export class ConnectAudience extends Audience<ConnectOptions> {
  protected readonly connections: Connections;
  #firstNs = 0;
  #lastNs = 0;

  constructor(context: AudienceContext<ConnectOptions>) {
    super(context);
    this.connections = new Connections(context, {
      subscribed: () => {
        this.#lastNs = context.nowNs();
        if (this.#firstNs === 0) this.#firstNs = this.#lastNs;
      },
      deliveries: () => undefined,
    });
  }

  async stage(_name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { ratePerSecond, concurrency, stallMs } = this.context.options;
    const plan =
      concurrency === undefined
        ? { ratePerSecond, stallMs }
        : { ratePerSecond: unpacedPerSecond, maxPending: concurrency, stallMs };
    await this.connections.ramp(startAtNs, plan, signal);
  }

  report(): RoleReport {
    const { counts, causes, timeline, samples } = this.connections.report();
    const { handshakeFromIntended, ...asTheyCame } = samples;
    const isScheduled = this.context.options.concurrency === undefined;
    const seconds = (this.#lastNs - this.#firstNs) / 1e9;
    const establishedPerSecond = seconds > 0 ? ((counts.opened ?? 0) - 1) / seconds : 0;
    return {
      counts: {
        ...counts,
        ...(isScheduled ? this.connections.arrivalRates() : {}),
        subscribers: counts.open ?? 0,
        establishedPerSecond,
      },
      causes,
      timeline,
      // Without a schedule no arrival was intended at an instant.
      samples: isScheduled ? { ...asTheyCame, handshakeFromIntended } : asTheyCame,
      series: {},
    };
  }
}
