import type { ArrivalsMore } from '../broadcasts/arrivals.js';
import { LatencyAudience } from '../latency/audience.js';
import { dueAtNs } from '../pace.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import { Attendance } from './attendance.js';
import { progressWith, reportWith } from './reports.js';
import { type VisitOptions, Visitors } from './visitors.js';

/** The options of a scenario of broadcasts with visitors. */
export type VisitedOptions = VisitOptions & ConstructorParameters<typeof LatencyAudience>[0]['options'];

/** The subscribers of one worker and, where stages are given, its visitors, who come and go while broadcasts flow. */
export class VisitedAudience<O extends VisitedOptions = VisitedOptions> extends LatencyAudience<O> {
  /** Whether anybody comes and goes. */
  protected readonly isVisited: boolean;

  constructor(
    context: AudienceContext<O>,
    more: ArrivalsMore = {},
    private readonly visitors = new Visitors(context),
    private readonly attendance = new Attendance(context, visitors.staying),
  ) {
    const isVisited = context.options.stages !== undefined;
    super(context, isVisited ? { ...more, owing: attendance } : more, visitors);
    this.isVisited = isVisited;
  }

  override async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond } = this.context.options;
    if (name === 'ramp')
      return this.connections.ramp(startAtNs, { ratePerSecond, upTo: this.visitors.staying }, signal);
    await super.stage(name, startAtNs, signal);
    if (name === 'publish' && this.isVisited) await this.#receive(startAtNs, signal);
  }

  /** Lasts as long as broadcasts are published. */
  async #receive(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options, board } = this.context;
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
    return this.isVisited ? progressWith(super.progress(), this.visitors) : super.progress();
  }

  override report(): RoleReport {
    return this.isVisited ? reportWith(super.report(), this.visitors) : super.report();
  }
}
