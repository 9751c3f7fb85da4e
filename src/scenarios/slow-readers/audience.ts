import { broadcastState, type Recorder } from '../../measure/samples/recorder.js';
import { Deliveries } from '../books/deliveries.js';
import { dueAtNs } from '../pace.js';
import { Ramp } from '../roster/ramp.js';
import { clientState, Roster } from '../roster/roster.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { broadcastsBefore, readsPerSecond, type SlowReadersOptions } from './options.js';

/** Interval at which slow readers may read on. */
const readEveryNs = 100e6;

/** Holds the subscribers of one worker, of which some read slowly or not at all from the middle of the run on. */
export class SlowReadersAudience implements Role {
  readonly #context: AudienceContext<SlowReadersOptions>;
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  readonly #healthy: Deliveries;
  /** Counts what slow readers are owed. Its replays are deliveries that they read once they read freely again. */
  readonly #slow: Deliveries;
  /** Slow readers, and the bytes that each reads per second. */
  readonly #rates = new Map<number, number>();
  readonly #cuts: Record<string, number> = {};
  readonly #cutAfter: Recorder;
  #isPublishing = false;
  #isReadingOn = false;
  #slowAtNs = Number.POSITIVE_INFINITY;
  #readAtNs = 0;

  constructor(context: AudienceContext<SlowReadersOptions>) {
    const { clientCount, firstClient, options } = context;
    for (let client = 0; client < clientCount; client++) {
      const rate = readsPerSecond(options, firstClient + client);
      if (Number.isFinite(rate)) this.#rates.set(client, rate);
    }
    this.#context = context;
    this.#cutAfter = context.recorder();
    this.#healthy = new Deliveries(context, { before: broadcastsBefore(options) });
    this.#slow = new Deliveries(context, {
      isTimed: false,
      presence: {
        isReplay: () => this.#isReadingOn,
        cameLive: () => undefined,
        wasAway: (client) => !this.#roster.isThere(client),
      },
    });
    this.#roster = new Roster(context, {
      deliveries: (batch) => {
        this.#healthy.take(batch);
        this.#slow.take(batch);
      },
    });
    this.#ramp = new Ramp(this.#roster, {
      subscribed: (client) => this.#bookOf(client).admit(client),
      lost: (client, cause) => this.#lost(client, cause),
    });
  }

  #bookOf(client: number): Deliveries {
    return this.#rates.has(client) ? this.#slow : this.#healthy;
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond } = this.#context.options;
    if (name === 'ramp') await this.#ramp.run(startAtNs, { ratePerSecond }, signal);
    if (name === 'publish') await this.#publish(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs, signal);
  }

  /** Lasts as long as broadcasts are published. */
  async #publish(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options, board, slice } = this.#context;
    const half = options.warmUp + broadcastsBefore(options);
    const isBehind = (nowNs: number, due: number, sent: number): boolean =>
      nowNs >= startAtNs + dueAtNs(due, options.ratePerSecond) && this.#hasLeft(sent);
    this.#isPublishing = true;
    this.#roster.hasClients('publish to');
    const isOver = (nowNs: number): boolean => isBehind(nowNs, board.size, Math.max(0, board.size - slice.of));
    await this.#roster.waitUntil(isOver, signal, () => {
      if (this.#readAtNs > 0 || isBehind(this.#context.nowNs(), half, half)) this.#readSlowly();
    });
  }

  /** Returns true if this shard's first broadcast from that number on has left, or never will. */
  #hasLeft(from: number): boolean {
    const { board, slice } = this.#context;
    let sequence = from;
    while (sequence % slice.of !== slice.index) sequence++;
    return sequence >= board.size || board.state[sequence] !== broadcastState.unsent;
  }

  #readSlowly(): void {
    const nowNs = this.#context.nowNs();
    if (this.#readAtNs === 0) this.#slowAtNs = this.#readAtNs = nowNs;
    if (nowNs < this.#readAtNs) return;
    const seconds = (nowNs - this.#readAtNs) / 1e9;
    this.#readAtNs = nowNs + readEveryNs;
    this.#letRead((rate) => Math.ceil(rate * (seconds + readEveryNs / 1e9)));
  }

  #letRead(bytesOf: (rate: number) => number): void {
    for (const [client, rate] of this.#rates) this.#roster.clients?.readAtMost?.(client, bytesOf(rate));
  }

  /** Slow readers read freely again, so that each sees what the target kept for it, or that it was cut. */
  async #drain(startAtNs: number, signal: AbortSignal): Promise<void> {
    this.#isReadingOn = true;
    this.#letRead(() => Number.POSITIVE_INFINITY);
    const endNs = startAtNs + this.#context.options.drainMs * 1e6;
    const isThere = (isSlow: boolean) => (client: number) =>
      this.#roster.isThere(client) && this.#rates.has(client) === isSlow;
    const isOver = (nowNs: number): boolean =>
      nowNs >= endNs || (this.#healthy.haveAll(isThere(false)) && this.#slow.haveAll(isThere(true)));
    await this.#roster.waitUntil(isOver, signal);
    this.#healthy.close();
    this.#slow.close();
    this.#roster.close();
  }

  #lost(client: number, cause: string): void {
    if (!this.#isPublishing) {
      this.#bookOf(client).dismiss(client);
      return;
    }
    if (this.#rates.has(client)) {
      this.#cuts[cause] = (this.#cuts[cause] ?? 0) + 1;
      this.#cutAfter.record(Math.max(0, this.#context.nowNs() - this.#slowAtNs) / 1000);
    }
    this.#roster.lostOne(cause);
  }

  progress(): Record<string, number> {
    return { ...this.#ramp.progress(), received: this.#healthy.received + this.#slow.received };
  }

  bins(): Uint32Array {
    return this.#healthy.deliveryBins;
  }

  report(): RoleReport {
    const [healthy, slow] = [this.#healthy.report(), this.#slow.report()];
    const { counts, causes, timeline, ramp } = this.#ramp.report();
    const stayed = [...this.#rates.keys()].filter((client) => this.#roster.is(client, clientState.subscribed));
    const sumOf = (name: string): number => (healthy.counts[name] ?? 0) + (slow.counts[name] ?? 0);
    return {
      counts: {
        ...counts,
        ...healthy.counts,
        ...{ received: sumOf('received'), duplicate: sumOf('duplicate'), late: sumOf('late') },
        ...{ subscribers: sumOf('subscribers'), slowReaders: slow.counts.subscribers ?? 0, slowStayed: stayed.length },
      },
      causes: { ...causes, slowCut: this.#cuts },
      timeline,
      samples: { ...healthy.samples, ...ramp, cutAfter: this.#cutAfter.finish() },
      series: {
        ...healthy.series,
        slowDelivered: slow.series.delivered!,
        slowRead: slow.series.cameLive!,
        slowReadLater: slow.series.cameReplayed!,
        slowMissedByCut: slow.series.missedAway!,
        slowMissed: slow.series.missedThere!,
      },
    };
  }

  dispose(): void {
    this.#roster.dispose();
  }
}
