import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Deliveries } from '../books/deliveries.js';
import { ClientPresence } from '../books/presence.js';
import { dueAtNs } from '../pace.js';
import { Ramp } from '../roster/ramp.js';
import { Restart } from '../roster/restart.js';
import { Roster } from '../roster/roster.js';
import type { AudienceContext, PublisherContext, Role, RoleReport } from '../scenario.js';
import { BroadcastPublisher } from '../traffic/broadcasts.js';
import { Gaps } from './gaps.js';
import type { DeployOptions } from './options.js';

/** Publishes on one open schedule from the steady stage on, whatever happens to the application. */
export class DeployPublisher implements Role {
  readonly #context: PublisherContext<DeployOptions>;
  readonly #broadcasts: BroadcastPublisher;
  #underWay: Promise<void> = Promise.resolve();
  #orderNs = Number.POSITIVE_INFINITY;

  constructor(context: PublisherContext<DeployOptions>) {
    this.#context = context;
    this.#broadcasts = new BroadcastPublisher(context);
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    if (name === 'steady') {
      this.#underWay = this.#broadcasts.publish(startAtNs, signal);
      await this.#context.until(orderAtNs(startAtNs, this.#context.options), signal);
    }
    if (name === 'redeploy') {
      this.#orderNs = startAtNs;
      await this.#underWay;
    }
  }

  progress(): Record<string, number> {
    return this.#broadcasts.progress();
  }

  report(): RoleReport {
    const report = this.#broadcasts.report();
    const { acked } = report.series as Record<'acked', Uint32Array>;
    const intendedAtNs = this.#context.board.intendedAtNs.subarray(this.#context.options.warmUp);
    const after = [...acked.keys()].filter((broadcast) => (intendedAtNs[broadcast] as number) >= this.#orderNs);
    return {
      ...report,
      counts: {
        ...report.counts,
        dueAfter: after.length,
        unpublishedAfter: after.filter((broadcast) => acked[broadcast] === 0).length,
      },
      causes: { publish: report.causes.publish ?? {} },
    };
  }
}

/** Returns when the redeploy is ordered, as it is planned. */
function orderAtNs(startAtNs: number, { warmUp, ratePerSecond, beforeMs }: DeployOptions): number {
  return startAtNs + dueAtNs(warmUp, ratePerSecond) + beforeMs * 1e6;
}

/** Time for polls and gates between the stages. */
const gatesMs = 10_000;
const never = Number.POSITIVE_INFINITY;

/** Holds the subscribers of one worker while the application that publishes to them is redeployed. */
export class DeployAudience implements Role {
  readonly #context: AudienceContext<DeployOptions>;
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  /** Measures each cut and return once the broadcasts begin. */
  readonly #restart: Restart;
  readonly #presence: ClientPresence;
  readonly #book: Deliveries;
  readonly #gaps: Gaps;
  #hasBegun = false;
  #reopening: Promise<void> = Promise.resolve();
  #scheduleEndNs = never;
  /** Instant of the end of the drain. */
  #closedNs = never;
  /** Cuts before the order, which the redeploy did not cause. */
  #cutsBefore: number | undefined;

  constructor(context: AudienceContext<DeployOptions>) {
    const { clientCount, options } = context;
    this.#context = context;
    this.#presence = new ClientPresence(context, clientCount);
    this.#gaps = new Gaps(clientCount, context.recorder());
    this.#book = new Deliveries(context, { presence: this.#presence });
    this.#roster = new Roster(context, { deliveries: (batch) => this.#take(batch) });
    this.#ramp = new Ramp(this.#roster, {
      subscribed: (client) => this.#book.admit(client),
      lost: (client) => this.#book.dismiss(client),
    });
    this.#restart = new Restart(this.#roster, { ...options, deadlineMs: afterOrderMs(options) }, this.#presence);
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond } = this.#context.options;
    if (name === 'ramp') await this.#ramp.run(startAtNs, { ratePerSecond }, signal);
    if (name === 'steady') await this.#steady(startAtNs, signal);
    if (name === 'redeploy') await this.#redeploy(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs, signal);
  }

  async #steady(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options, board } = this.#context;
    this.#scheduleEndNs = startAtNs + dueAtNs(board.size, options.ratePerSecond);
    if (!this.#roster.hasClients('publish to')) return;
    this.#hasBegun = true;
    this.#presence.begin(startAtNs);
    this.#restart.begin(never);
    // Clients also come back while the run waits at a gate between the stages.
    this.#reopening = this.#roster.waitUntil(
      () => this.#closedNs < never,
      signal,
      () => this.#restart.tick(),
    );
    const orderNs = orderAtNs(startAtNs, options);
    await this.#roster.waitUntil((nowNs) => nowNs >= orderNs, signal);
  }

  /** Begins before `startAtNs`, while the order is on its way to all shards. */
  async #redeploy(startAtNs: number, signal: AbortSignal): Promise<void> {
    this.#cutsBefore = this.#restart.cuts;
    this.#restart.ordered(startAtNs);
    this.#gaps.ordered(startAtNs);
    const limitNs = this.#scheduleEndNs + this.#context.options.drainMs * 1e6;
    const isAllBack = (nowNs: number): boolean => nowNs >= this.#scheduleEndNs && this.#areAllThere;
    await this.#roster.waitUntil((nowNs) => nowNs >= limitNs || isAllBack(nowNs), signal);
  }

  get #areAllThere(): boolean {
    return this.#restart.returning.away === 0;
  }

  async #drain(startAtNs: number, signal: AbortSignal): Promise<void> {
    const endNs = startAtNs + this.#context.options.drainMs * 1e6;
    const isThere = (client: number): boolean => this.#roster.isThere(client);
    const isComplete = (): boolean => this.#areAllThere && this.#book.haveAll(isThere);
    await this.#roster.waitUntil((nowNs) => nowNs >= endNs || isComplete(), signal);
    this.#closedNs = this.#context.nowNs();
    await this.#reopening;
    this.#book.close();
    this.#roster.close();
  }

  #take(batch: DeliveryBatch): void {
    if (this.#closedNs === never) this.#gaps.take(batch);
    this.#restart.deliveries(batch);
    this.#book.take(batch);
  }

  progress(): Record<string, number> {
    const returned = this.#hasBegun ? this.#restart.progress() : {};
    return { ...this.#ramp.progress(), ...returned, received: this.#book.received };
  }

  report(): RoleReport {
    const book = this.#book.report();
    const ramp = this.#ramp.report();
    const restart = this.#restart.report();
    const { returning } = this.#restart;
    // Before the broadcasts begin, every client that is there was never cut.
    const isMember = (client: number): boolean =>
      this.#hasBegun ? returning.isMember(client) : this.#roster.isSubscribed(client);
    const gaps = this.#gaps.report({
      isMember,
      isSilent: (client) => this.#restart.isSilent(client),
      // A broadcast that is due for no client ends no gap.
      atNs: Math.min(this.#closedNs, this.#context.nowNs(), this.#scheduleEndNs),
      everyNs: dueAtNs(1, this.#context.options.ratePerSecond),
    });
    const opened = this.#hasBegun ? returning.members : ramp.counts.open;
    const { offline, offlineAtLeast, reconnect, reconnectAtLeast, wait } = restart.absences;
    const { disconnect, disconnectAtLeast } = restart.samples;
    return {
      counts: {
        ...ramp.counts,
        ...restart.counts,
        ...gaps.counts,
        ...book.counts,
        ...{ opened, open: opened },
        neverCut: this.#hasBegun ? restart.counts.neverCut : opened,
        cutsBefore: this.#cutsBefore ?? this.#restart.cuts,
      },
      causes: {
        ...restart.causes,
        connect: ramp.causes.connect,
        close: sumCounts([ramp.causes.close, restart.causes.cut, restart.causes.cutAgain]),
      },
      timeline: ramp.timeline,
      samples: {
        ...book.samples,
        ...gaps.samples,
        ...{ offline, offlineAtLeast, reconnect, reconnectAtLeast, disconnect, disconnectAtLeast, wait },
      },
      series: { ...book.series, cutInMs: restart.series.cutInMs },
    };
  }

  dispose(): void {
    this.#roster.dispose();
  }
}

/** Returns the longest time after the order, in milliseconds, that clients are counted. */
function afterOrderMs({ broadcasts, ratePerSecond, beforeMs, drainMs }: DeployOptions): number {
  const publishingMs = Math.max(0, dueAtNs(broadcasts, ratePerSecond) / 1e6 - beforeMs);
  return Math.ceil(publishingMs + 2 * drainMs + gatesMs);
}
