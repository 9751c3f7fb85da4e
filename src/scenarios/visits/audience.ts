import { sumCounts } from '../../measure/samples/sums.js';
import { LatencyAudience } from '../latency/audience.js';
import { dueAtNs } from '../pace.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import { Attendance } from './attendance.js';
import { type VisitOptions, Visitors } from './visitors.js';

/** The options of a scenario of broadcasts with visitors. */
export type VisitedOptions = VisitOptions & ConstructorParameters<typeof LatencyAudience>[0]['options'];

/** The subscribers of one worker, and its visitors, who come and go while broadcasts flow. */
export class VisitedAudience extends LatencyAudience<VisitedOptions> {
  constructor(
    context: AudienceContext<VisitedOptions>,
    private readonly visitors = new Visitors(context),
    private readonly attendance = new Attendance(context, visitors.staying),
  ) {
    super(context, { owing: attendance }, visitors);
  }

  override async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options, board } = this.context;
    if (name === 'ramp') {
      const plan = { ratePerSecond: options.rampRatePerSecond, upTo: this.visitors.staying };
      return this.connections.ramp(startAtNs, plan, signal);
    }
    await super.stage(name, startAtNs, signal);
    if (name !== 'publish') return;
    this.attendance.begin(startAtNs);
    this.visitors.begin(startAtNs, this.connections, {
      arrived: (client, toNs) => this.#arrived(client, toNs),
      cut: (_client, cause) => this.lostOne(cause),
      hasAll: (client) => this.arrivals.hasAll(client),
    });
    const endNs = startAtNs + dueAtNs(board.size, options.ratePerSecond);
    await this.waitUntil(
      (nowNs) => nowNs >= endNs,
      signal,
      () => this.tick(),
    );
  }

  #arrived(client: number, toNs: number): void {
    this.attendance.admit(client, this.context.nowNs(), toNs);
    this.arrivals.admit(client);
  }

  protected override tick(): void {
    this.visitors.tick();
  }

  protected override isThere(client: number): boolean {
    return super.isThere(client) || this.visitors.isThere(client);
  }

  protected override get clientsLeft(): number {
    return this.connections.open + this.visitors.left;
  }

  override progress(): Record<string, number> {
    const { subscribers = 0, ...progress } = super.progress();
    return { ...progress, subscribers: subscribers + this.visitors.there, visitors: this.visitors.there };
  }

  override report(): RoleReport {
    const { counts, causes, samples, ...rest } = super.report();
    const visitors = this.visitors.report();
    return {
      ...rest,
      counts: { ...counts, ...visitors.counts },
      causes: {
        ...causes,
        arrive: visitors.causes.arrive,
        close: sumCounts([causes.close ?? {}, visitors.causes.close]),
        visitCut: visitors.causes.close,
      },
      samples: { ...samples, ...visitors.samples },
    };
  }
}
