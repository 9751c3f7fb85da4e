import { broadcastState, type Recorder } from '../../measure/samples/recorder.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Arrivals } from '../broadcasts/arrivals.js';
import { ClientPresence } from '../broadcasts/presence.js';
import { BroadcastPublisher } from '../broadcasts/publisher.js';
import { dueAtNs } from '../pace.js';
import { AbsenceTimes } from '../returns/moments.js';
import { Returns } from '../returns/returns.js';
import { Audience } from '../roles/audience.js';
import { diverted } from '../roles/connection-events.js';
import { Connections } from '../roles/connections.js';
import type { AudienceContext, RoleReport } from '../scenario.js';
import type { DeployOptions } from './options.js';

/** Publishes on one open schedule from the steady stage on, whatever happens to the application. */
export class DeployPublisher extends BroadcastPublisher<DeployOptions> {
  #underWay: Promise<void> = Promise.resolve();
  #orderNs = Number.POSITIVE_INFINITY;

  override async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { warmUp, ratePerSecond, beforeMs } = this.context.options;
    if (name === 'steady') {
      this.#underWay = super.stage('publish', startAtNs, signal);
      await this.context.until(startAtNs + dueAtNs(warmUp, ratePerSecond) + beforeMs * 1e6, signal);
    }
    if (name === 'redeploy') {
      this.#orderNs = startAtNs;
      await this.#underWay;
    }
  }

  override report(): RoleReport {
    const report = super.report();
    const { board, options } = this.context;
    const none = new Uint32Array(board.size - options.warmUp);
    const { failed = none, refused = none } = report.series;
    // A run that ends between its stages does not wait for answers.
    let unanswered = 0;
    board.state.subarray(options.warmUp).forEach((state, broadcast) => {
      if (state !== broadcastState.sent) return;
      failed[broadcast] = 1;
      unanswered++;
    });
    const causes = report.causes.publish ?? {};
    if (unanswered > 0) causes.ours = (causes.ours ?? 0) + unanswered;
    const isTaken = (broadcast: number): boolean => failed[broadcast] === 0 && refused[broadcast] === 0;
    const wasAfter = (broadcast: number): boolean =>
      (board.intendedAtNs[options.warmUp + broadcast] as number) >= this.#orderNs;
    const unpublished = [...failed.keys()].filter((broadcast) => !isTaken(broadcast));
    return {
      ...report,
      counts: {
        ...report.counts,
        dueAfter: [...failed.keys()].filter(wasAfter).length,
        unpublishedAfter: unpublished.filter(wasAfter).length,
      },
      causes: { publish: causes },
      series: { ...report.series, failed },
    };
  }
}

export interface GapEnd {
  isMember(client: number): boolean;
  isSilent(client: number): boolean;
  /** Instant when the last broadcast was due, or when the counting closed before that. */
  atNs: number;
  everyNs: number;
}

/** Measures the longest time that each client went without a delivery and that ended after the redeploy order. */
export class Gaps {
  readonly #lastNs: Float64Array;
  readonly #longestNs: Float64Array;
  readonly #recorder: Recorder;
  #orderNs = Number.POSITIVE_INFINITY;

  constructor(clients: number, recorder: Recorder) {
    this.#lastNs = new Float64Array(clients);
    this.#longestNs = new Float64Array(clients);
    this.#recorder = recorder;
  }

  ordered(atNs: number): void {
    this.#orderNs = atNs;
  }

  /** Takes live deliveries and replayed ones alike. Hot path: allocates nothing. */
  take(batch: DeliveryBatch): void {
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      const atNs = batch.receivedAtNs[i] as number;
      const lastNs = this.#lastNs[client] as number;
      this.#lastNs[client] = atNs;
      if (lastNs === 0 || atNs < this.#orderNs) continue;
      const gapNs = atNs - lastNs;
      if (gapNs > (this.#longestNs[client] as number)) this.#longestNs[client] = gapNs;
    }
  }

  /**
   * Returns one sample per member with a delivery. A client that was cut or still waits for long counts as open, until
   * `atNs`.
   */
  report({ isMember, isSilent, atNs, everyNs }: GapEnd): { counts: Record<string, number>; samples: { gap: Samples } } {
    const counts = { gaps: 0, openGaps: 0, unheard: 0 };
    this.#lastNs.forEach((lastNs, client) => {
      if (!isMember(client)) return;
      if (lastNs === 0) {
        counts.unheard++;
        return;
      }
      const closedNs = this.#longestNs[client] as number;
      const restNs = atNs - lastNs;
      const isOpen = closedNs === 0 || isSilent(client) || restNs > Math.max(closedNs, 2 * everyNs);
      counts[isOpen ? 'openGaps' : 'gaps']++;
      this.#recorder.record(Math.max(closedNs, isOpen ? restNs : 0) / 1000);
    });
    return { counts, samples: { gap: this.#recorder.finish() } };
  }
}

/** Time for polls and gates between the stages. */
const gatesMs = 10_000;
const never = Number.POSITIVE_INFINITY;

/** Holds the subscribers of one worker while the application that publishes to them is redeployed. */
export class DeployAudience extends Audience<DeployOptions> {
  readonly #arrivals: Arrivals;
  /** Keeps clients until the broadcasts begin. From then on `#returns` measures each cut and return. */
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
  /** Absences before the order, which the redeploy did not cause. */
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
    // Clients also come back while the run waits at a gate between the stages.
    this.#reopening = this.waitUntil(
      () => this.#isClosed,
      signal,
      () => this.#returns.tick(),
    );
    const orderNs = startAtNs + dueAtNs(options.warmUp, options.ratePerSecond) + options.beforeMs * 1e6;
    await this.waitUntil((nowNs) => nowNs >= orderNs, signal);
  }

  /** Begins before `startAtNs`, while the order is on its way to all shards. */
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
    // `returns` overrides the count of subscribers: a client that is away is not one now.
    return { ...ramp, ...this.#returns.progress(), received };
  }

  report(): RoleReport {
    const arrivals = this.#arrivals.report();
    const connections = this.connections.report();
    const returns = this.#returns.report();
    const gaps = this.#gaps.report({
      isMember: (client) => this.connections.isOpen(client),
      isSilent: (client) => this.#returns.isSilent(client),
      // A broadcast that is due for no client ends no gap.
      atNs: Math.min(this.#closedNs, this.context.nowNs(), this.#scheduleEndNs),
      everyNs: dueAtNs(1, this.context.options.ratePerSecond),
    });
    // Before the broadcasts begin, every open client was never cut.
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

/** Returns the longest time after the order, in milliseconds, that clients are counted. */
function afterOrderMs({ broadcasts, ratePerSecond, beforeMs, drainMs }: DeployOptions): number {
  const publishingMs = Math.max(0, dueAtNs(broadcasts, ratePerSecond) / 1e6 - beforeMs);
  return Math.ceil(publishingMs + 2 * drainMs + gatesMs);
}
