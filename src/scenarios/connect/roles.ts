import { Audience } from '../roles/audience.js';
import { Connections } from '../roles/connections.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import { RateMeter } from '../sends/schedule.js';
import type { ConnectOptions } from './options.js';

/** A schedule that is always ahead, so that only the concurrency limits the rate. */
const unpacedPerSecond = 1e9;

/** Opens connections on a schedule, or with a fixed number of handshakes under way, and times each part. */
export class ConnectAudience extends Audience<ConnectOptions> {
  protected readonly connections: Connections;
  readonly #established = new RateMeter();

  constructor(context: AudienceContext<ConnectOptions>) {
    super(context);
    this.connections = new Connections(context, {
      subscribed: () => this.#established.count(context.nowNs()),
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
    const { handshakeFromIntended, connectLag, ...asTheyCame } = samples;
    const isScheduled = this.context.options.concurrency === undefined;
    return {
      counts: {
        ...counts,
        ...(isScheduled ? this.connections.arrivalRates() : {}),
        subscribers: counts.open ?? 0,
        establishedPerSecond: this.#established.perSecond,
      },
      causes,
      timeline,
      // Without a schedule no arrival was intended at an instant.
      samples: isScheduled ? { ...asTheyCame, handshakeFromIntended, connectLag } : asTheyCame,
      series: {},
    };
  }
}
