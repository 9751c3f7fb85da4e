import { sumCounts } from '../../measure/samples/sums.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Arrivals } from '../broadcasts/arrivals.js';
import { ClientPresence } from '../broadcasts/presence.js';
import { dueAtNs } from '../pace.js';
import { AbsenceTimes } from '../returns/absence-times.js';
import { Returns } from '../returns/returns.js';
import { Audience } from '../roles/audience.js';
import { diverted } from '../roles/connection-events.js';
import { Connections } from '../roles/connections.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import { Gaps } from './gaps.js';
import type { DeployOptions } from './options.js';

/** Polls and gates that lie between the stages. */
const gatesMs = 10_000;
const never = Number.POSITIVE_INFINITY;

/** The subscribers of one worker while the application that publishes to them is redeployed. */
export class DeployAudience extends Audience<DeployOptions> {
  readonly #arrivals: Arrivals;
  /** Of clients until the broadcasts begin; from then on each cut and return is the subject. */
  protected readonly connections: Connections;
  readonly #returns: Returns;
  readonly #absences: AbsenceTimes;
  readonly #presence: ClientPresence;
  readonly #gaps: Gaps;
  #hasBegun = false;
  #isClosed = false;
  #reopening: Promise<void> = Promise.resolve();
  #scheduleEndNs = never;
  #closedNs = never;
  /** Absences before the order, which are accidents. */
  #cutsBefore: number | undefined;

  constructor(context: AudienceContext<DeployOptions>) {
    super(context);
    const { clientCount, options } = context;
    const recorder = () => context.recorder();
    this.#presence = new ClientPresence(context, clientCount);
    this.#absences = new AbsenceTimes(clientCount, recorder, this.#presence);
    this.#gaps = new Gaps(clientCount, recorder());
    this.#returns = new Returns({ ...context, options: { ...options, deadlineMs: afterOrderMs(options) } });
    this.#arrivals = new Arrivals(context, { presence: this.#presence });
    this.connections = new Connections(diverted(context, this.#returns), {
      subscribed: (client) => this.#arrivals.admit(client),
      lost: (client) => this.#arrivals.dismiss(client),
      deliveries: (batch) => this.#take(batch),
    });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond } = this.context.options;
    if (name === 'ramp') await this.connections.ramp(startAtNs, { ratePerSecond }, signal);
    if (name === 'steady') await this.#steady(startAtNs, signal);
    if (name === 'redeploy') await this.#redeploy(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs, signal);
  }

  async #steady(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options, board } = this.context;
    this.#scheduleEndNs = startAtNs + dueAtNs(board.size, options.ratePerSecond);
    if (!this.hasClients('publish to')) return;
    this.#hasBegun = true;
    this.#presence.begin(startAtNs);
    this.#returns.begin(never, this.connections, this.#absences);
    // Gates are stood at between the stages, and clients come back all the same.
    this.#reopening = this.waitUntil(
      () => this.#isClosed,
      signal,
      () => this.#returns.tick(),
    );
    const orderNs = startAtNs + dueAtNs(options.warmUp, options.ratePerSecond) + options.beforeMs * 1e6;
    await this.waitUntil((nowNs) => nowNs >= orderNs, signal);
  }

  /** Begins before its start, while the order is on its way to all shards. */
  async #redeploy(startAtNs: number, signal: AbortSignal): Promise<void> {
    this.#cutsBefore = this.#absences.absences;
    this.#returns.ordered(startAtNs);
    this.#gaps.ordered(startAtNs);
    const { options } = this.context;
    const limitNs = this.#scheduleEndNs + options.drainMs * 1e6;
    const isAllBack = (nowNs: number): boolean => nowNs >= this.#scheduleEndNs && this.#returns.away === 0;
    await this.waitUntil((nowNs) => nowNs >= limitNs || isAllBack(nowNs), signal);
  }

  async #drain(startAtNs: number, signal: AbortSignal): Promise<void> {
    const endNs = startAtNs + this.context.options.drainMs * 1e6;
    const isComplete = (): boolean => this.#returns.away === 0 && this.#arrivals.haveAll(this.#returns);
    await this.waitUntil((nowNs) => nowNs >= endNs || isComplete(), signal);
    this.#isClosed = true;
    this.#closedNs = this.context.nowNs();
    await this.#reopening;
    this.#arrivals.close();
    this.#returns.close();
  }

  #take(batch: DeliveryBatch): void {
    if (!this.#isClosed) this.#gaps.take(batch);
    this.#returns.deliveries(batch);
    this.#arrivals.take(batch);
  }

  override progress(): Record<string, number> {
    const received = this.#arrivals.received;
    const ramp = this.connections.progress();
    if (!this.#hasBegun) return { ...ramp, received };
    // Who is away is no subscriber now: that he has no network is not why.
    return { ...ramp, ...this.#returns.progress(), received };
  }

  report(): RoleReport {
    const arrivals = this.#arrivals.report();
    const connections = this.connections.report();
    const returns = this.#returns.report();
    const gaps = this.#gaps.report({
      isMember: (client) => this.connections.isOpen(client),
      isSilent: (client) => this.#returns.isSilent(client),
      // A broadcast that no client should get ends no gap.
      atNs: Math.min(this.#closedNs, this.context.nowNs(), this.#scheduleEndNs),
      everyNs: dueAtNs(1, this.context.options.ratePerSecond),
    });
    // Before the broadcasts begin, those who are there are there.
    const { neverCut } = this.#hasBegun ? returns.counts : { neverCut: this.connections.open };
    const cutsBefore = this.#cutsBefore ?? this.#absences.absences;
    return {
      counts: {
        ...connections.counts,
        ...returns.counts,
        ...gaps.counts,
        ...arrivals.counts,
        ...{ opened: this.connections.open, neverCut, cutsBefore },
      },
      causes: {
        ...returns.causes,
        connect: connections.causes.connect ?? {},
        close: sumCounts([connections.causes.close ?? {}, returns.causes.cut, returns.causes.cutAgain]),
      },
      timeline: connections.timeline,
      samples: {
        ...arrivals.samples,
        ...gaps.samples,
        ...this.#absences.report(),
        disconnect: returns.samples.disconnect,
        disconnectAtLeast: returns.samples.disconnectAtLeast,
        wait: returns.samples.wait,
      },
      series: { ...arrivals.series, cutInMs: returns.series.cutInMs },
    };
  }
}

/** How long after the order the books are kept at most. */
function afterOrderMs({ broadcasts, ratePerSecond, beforeMs, drainMs }: DeployOptions): number {
  const publishingMs = Math.max(0, dueAtNs(broadcasts, ratePerSecond) / 1e6 - beforeMs);
  return Math.ceil(publishingMs + 2 * drainMs + gatesMs);
}
