import { broadcastState } from '../../measure/samples/recorder.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { dueAtNs } from '../pace.js';
import { Ramp } from '../roster/ramp.js';
import { Restart } from '../roster/restart.js';
import { Roster } from '../roster/roster.js';
import type { AudienceContext, PublisherContext, Role, RoleReport } from '../scenario.js';
import { BroadcastPublisher } from '../traffic/broadcasts.js';
import type { AvalancheOptions } from './options.js';

/**
 * Publishes the broadcasts of the calm stage, then those of the storm until the drain, because other shards may still
 * wait.
 */
export class AvalanchePublisher implements Role {
  readonly #context: PublisherContext<AvalancheOptions>;
  readonly #broadcasts: BroadcastPublisher;
  readonly #end = new AbortController();
  #underWay: Promise<void> = Promise.resolve();

  constructor(context: PublisherContext<AvalancheOptions>) {
    const { ratePerSecond, calmBroadcasts: warmUp } = context.options;
    this.#context = context;
    this.#broadcasts = new BroadcastPublisher({ ...context, options: { ratePerSecond, warmUp } });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { calmBroadcasts } = this.#context.options;
    signal.addEventListener('abort', () => this.#end.abort());
    if (name === 'calm') await this.#broadcasts.publish(startAtNs, signal, 0, calmBroadcasts);
    if (name === 'storm') this.#underWay = this.#broadcasts.publish(startAtNs, this.#end.signal, calmBroadcasts);
    if (name === 'drain') {
      this.#end.abort();
      await this.#underWay;
    }
  }

  progress(): Record<string, number> {
    const { published = 0, acked = 0 } = this.#broadcasts.progress();
    return { published, acked };
  }

  report(): RoleReport {
    const { counts, causes, samples } = this.#broadcasts.report();
    const { sent, acked, refused, failed } = broadcastState;
    const { state } = this.#context.board;
    const at = (...states: readonly number[]): number =>
      state.reduce((sum, each) => sum + (states.includes(each) ? 1 : 0), 0);
    return {
      counts: {
        attempted: at(sent, acked, refused, failed),
        acked: at(acked),
        refused: at(refused),
        failedPublishes: at(sent, failed),
        latePublishes: counts.latePublishes ?? 0,
      },
      causes: { publish: sumCounts([causes.warmUp ?? {}, causes.publish ?? {}]) },
      samples,
      series: {},
      timeline: {},
    };
  }
}

/** Holds the subscribers of one worker. Broadcasts prove them before and after a restart of the target. */
export class AvalancheAudience implements Role {
  readonly #context: AudienceContext<AvalancheOptions>;
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  readonly #restart: Restart;
  /** Marks the clients that a broadcast reached before the order. */
  readonly #heard: Uint8Array;
  #heardCount = 0;
  #received = 0;
  #isOrdered = false;
  #wasDeadline = false;

  constructor(context: AudienceContext<AvalancheOptions>) {
    this.#context = context;
    this.#heard = new Uint8Array(context.clientCount);
    this.#roster = new Roster(context, { deliveries: (batch) => this.#take(batch) });
    this.#ramp = new Ramp(this.#roster, { lost: (client) => this.#forget(client) });
    this.#restart = new Restart(this.#roster, context.options);
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond } = this.#context.options;
    if (name === 'ramp') await this.#ramp.run(startAtNs, { ratePerSecond }, signal);
    if (name === 'calm') await this.#calm(startAtNs, signal);
    if (name === 'storm') await this.#storm(startAtNs, signal);
  }

  async #calm(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { calmBroadcasts, calmWithinMs, ratePerSecond } = this.#context.options;
    this.#roster.hasClients('prove');
    const endNs = startAtNs + dueAtNs(calmBroadcasts - 1, ratePerSecond) + calmWithinMs * 1e6;
    await this.#roster.waitUntil((nowNs) => this.#heardCount >= this.#roster.there || nowNs >= endNs, signal);
  }

  /** Begins before `startAtNs`, while the order travels to all shards, so that no cut is missed. */
  async #storm(startAtNs: number, signal: AbortSignal): Promise<void> {
    if (this.#roster.clients === undefined) return;
    this.#isOrdered = true;
    this.#restart.begin(startAtNs);
    const endNs = startAtNs + this.#context.options.deadlineMs * 1e6;
    const tick = (): void => this.#restart.tick();
    await this.#roster.waitUntil((nowNs) => this.#restart.isComplete || nowNs >= endNs, signal, tick);
    this.#wasDeadline = !signal.aborted;
    this.#roster.close();
  }

  #take(batch: DeliveryBatch): void {
    this.#received += batch.count;
    if (this.#isOrdered) {
      this.#restart.deliveries(batch);
      return;
    }
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      if (this.#heard[client] === 1 || !this.#roster.isSubscribed(client)) continue;
      this.#heard[client] = 1;
      this.#heardCount++;
    }
  }

  #forget(client: number): void {
    if (this.#heard[client] === 1) this.#heardCount--;
    this.#heard[client] = 0;
  }

  progress(): Record<string, number> {
    const returned = this.#isOrdered ? this.#restart.progress() : {};
    return { ...this.#ramp.progress(), ...returned, received: this.#received };
  }

  report(): RoleReport {
    const { counts, causes, timeline, ramp } = this.#ramp.report();
    const { asked, started, opened: everOpened, open } = counts;
    const restart = this.#restart.report();
    const { cut: everCut, proven } = restart.counts;
    // Without an order no client was cut by it.
    const there = this.#isOrdered ? restart.counts.opened : open;
    const isThere = (client: number): boolean =>
      this.#isOrdered ? this.#restart.returning.isMember(client) : this.#roster.isSubscribed(client);
    return {
      counts: {
        ...restart.counts,
        asked,
        // A run that was aborted cannot count clients it no longer awaits as overdue.
        overdue: this.#wasDeadline ? everCut - proven : 0,
        notStarted: asked - started,
        opened: there,
        lostBefore: everOpened - there,
        neverCut: this.#isOrdered ? restart.counts.neverCut : there,
        provenBefore: this.#heard.reduce((sum, each, client) => sum + (isThere(client) ? each : 0), 0),
        subscribers: there,
        received: this.#received,
      },
      causes: {
        ...restart.causes,
        connect: causes.connect,
        close: sumCounts([causes.close, restart.causes.cut]),
      },
      timeline,
      samples: { ...restart.samples, wait: restart.absences.wait, ...ramp },
      series: restart.series,
    };
  }

  dispose(): void {
    this.#roster.dispose();
  }
}
