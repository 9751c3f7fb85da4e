import { Ramp } from '../roster/ramp.js';
import { Roster } from '../roster/roster.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { RateMeter } from '../traffic/send-schedule.js';
import type { ConnectOptions } from './options.js';

/** A schedule that is always ahead, so that only the concurrency limits the rate. */
const unpacedPerSecond = 1e9;

/** Opens connections on a schedule, or with a fixed number of handshakes under way, and times each part. */
export class ConnectAudience implements Role {
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  readonly #established = new RateMeter();

  constructor(private readonly context: AudienceContext<ConnectOptions>) {
    this.#roster = new Roster(context, { deliveries: () => undefined });
    this.#ramp = new Ramp(this.#roster, { subscribed: () => this.#established.count(context.nowNs()) });
  }

  async stage(_name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { ratePerSecond, concurrency, stallMs } = this.context.options;
    const plan =
      concurrency === undefined
        ? { ratePerSecond, stallMs }
        : { ratePerSecond: unpacedPerSecond, maxPending: concurrency, stallMs };
    await this.#ramp.run(startAtNs, plan, signal);
  }

  progress(): Record<string, number> {
    return this.#ramp.progress();
  }

  report(): RoleReport {
    const { counts, causes, timeline, samples } = this.#ramp.report();
    const { handshakeFromIntended, connectLag, ...asTheyCame } = samples;
    const isScheduled = this.context.options.concurrency === undefined;
    return {
      counts: {
        ...counts,
        ...(isScheduled ? this.#ramp.arrivalRates() : {}),
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

  dispose(): void {
    this.#roster.dispose();
  }
}
