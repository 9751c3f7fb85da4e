import type { StampTable } from '../../measure/samples/recorder.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { total } from '../books.js';
import { BroadcastPublisher } from '../broadcasts/publisher.js';
import { dueAtNs } from '../pace.js';
import { Returns } from '../returns/returns.js';
import { Audience } from '../roles/audience.js';
import { diverted } from '../roles/connection-events.js';
import { Connections } from '../roles/connections.js';
import type { AudienceContext, PublisherContext, Role, RoleReport } from '../scenario.js';
import type { AvalancheOptions } from './options.js';

/**
 * Publishes the broadcasts of the calm stage, then those of the storm until the drain, because other shards may still
 * wait.
 */
export class AvalanchePublisher implements Role {
  readonly #calm: BroadcastPublisher;
  readonly #storm: BroadcastPublisher;
  readonly #end = new AbortController();
  #wasAborted = false;
  #underWay: Promise<void> = Promise.resolve();

  constructor(context: PublisherContext<AvalancheOptions>) {
    const { calmBroadcasts } = context.options;
    this.#calm = partOf(context, 0, calmBroadcasts);
    this.#storm = partOf(context, calmBroadcasts, context.board.size);
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => {
      this.#wasAborted = true;
      this.#end.abort();
    });
    if (name === 'calm') await this.#calm.stage('publish', startAtNs, signal);
    if (name === 'storm') this.#underWay = this.#storm.stage('publish', startAtNs, this.#end.signal);
    if (name === 'drain') {
      this.#end.abort();
      await this.#underWay;
    }
  }

  progress(): Record<string, number> {
    const { published = 0, acked = 0 } = sumCounts([this.#calm.progress(), this.#storm.progress()]);
    return { published, acked };
  }

  report(): RoleReport {
    const parts = [this.#calm.report(), this.#storm.report()];
    const { attempted = 0, latePublishes = 0 } = sumCounts(parts.map(({ counts }) => counts));
    const causes = sumCounts(parts.map((part) => part.causes.publish ?? {}));
    const listed = (name: string): number => parts.reduce((sum, { series }) => sum + total(series[name]), 0);
    const [acked, refused, failed] = [listed('acked'), listed('refused'), listed('failed')];
    // A run that ends early does not wait for answers of the storm.
    const unanswered = this.#wasAborted ? attempted - acked - refused - failed : 0;
    if (unanswered > 0) causes.ours = (causes.ours ?? 0) + unanswered;
    return {
      counts: { attempted, acked, refused, failedPublishes: failed + unanswered, latePublishes },
      causes: { publish: causes },
      samples: parts[1]?.samples ?? {},
      series: {},
      timeline: {},
    };
  }
}

/** Returns a publisher of the broadcasts `from` to `to`, without `to`, on its own schedule. */
function partOf(context: PublisherContext<AvalancheOptions>, from: number, to: number): BroadcastPublisher {
  const { board, options } = context;
  const part: StampTable = {
    buffer: board.buffer,
    size: to - from,
    intendedAtNs: board.intendedAtNs.subarray(from, to),
    sentAtNs: board.sentAtNs.subarray(from, to),
    writtenAtNs: board.writtenAtNs.subarray(from, to),
    ackAtNs: board.ackAtNs.subarray(from, to),
    state: board.state.subarray(from, to),
  };
  return new BroadcastPublisher({
    ...context,
    board: part,
    options: { ratePerSecond: options.ratePerSecond, warmUp: 0 },
    payload: (sequence) => context.payload(from + sequence),
  });
}

/** Holds the subscribers of one worker. Broadcasts prove them before and after a restart of the target. */
export class AvalancheAudience extends Audience<AvalancheOptions> {
  /** Keeps clients until the restart order. From then on `#returns` measures their return. */
  protected readonly connections: Connections;
  readonly #returns: Returns;
  /** Marks the clients that a broadcast reached before the order. */
  readonly #heard: Uint8Array;
  #heardCount = 0;
  #received = 0;
  #isOrdered = false;
  #wasDeadline = false;

  constructor(context: AudienceContext<AvalancheOptions>) {
    super(context);
    this.#returns = new Returns(context);
    this.#heard = new Uint8Array(context.clientCount);
    this.connections = new Connections(diverted(context, this.#returns), {
      lost: (client) => this.#forget(client),
      deliveries: (batch) => this.#take(batch),
    });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond } = this.context.options;
    if (name === 'ramp') await this.connections.ramp(startAtNs, { ratePerSecond }, signal);
    if (name === 'calm') await this.#calm(startAtNs, signal);
    if (name === 'storm') await this.#storm(startAtNs, signal);
  }

  async #calm(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { calmBroadcasts, calmWithinMs, ratePerSecond } = this.context.options;
    this.hasClients('prove');
    const endNs = startAtNs + dueAtNs(calmBroadcasts - 1, ratePerSecond) + calmWithinMs * 1e6;
    await this.waitUntil((nowNs) => this.#heardCount >= this.connections.open || nowNs >= endNs, signal);
  }

  /** Begins before `startAtNs`, while the order travels to all shards, so that no cut is missed. */
  async #storm(startAtNs: number, signal: AbortSignal): Promise<void> {
    if (this.connections.clients === undefined) return;
    this.#isOrdered = true;
    this.#returns.begin(startAtNs, this.connections);
    const endNs = startAtNs + this.context.options.deadlineMs * 1e6;
    const tick = (): void => this.#returns.tick();
    await this.waitUntil((nowNs) => this.#returns.isComplete || nowNs >= endNs, signal, tick);
    this.#wasDeadline = !signal.aborted;
    this.#returns.close();
  }

  #take(batch: DeliveryBatch): void {
    this.#received += batch.count;
    if (this.#isOrdered) {
      this.#returns.deliveries(batch);
      return;
    }
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      if (this.#heard[client] === 1 || !this.connections.isOpen(client)) continue;
      this.#heard[client] = 1;
      this.#heardCount++;
    }
  }

  #forget(client: number): void {
    if (this.#heard[client] === 1) this.#heardCount--;
    this.#heard[client] = 0;
  }

  override progress(): Record<string, number> {
    const { received, ...ramp } = { ...this.connections.progress(), received: this.#received };
    return this.#isOrdered ? { ...ramp, ...this.#returns.progress(), received } : { ...ramp, received };
  }

  report(): RoleReport {
    const { counts, causes, timeline, ramp } = this.connections.report();
    const { asked = 0, started = 0, opened: everOpened = 0, open = 0 } = counts;
    const returns = this.#returns.report();
    const { cut: everCut, proven } = returns.counts;
    // Without an order no client was cut by it.
    const there = this.#isOrdered ? returns.counts.opened : open;
    const isThere = (client: number): boolean =>
      this.#isOrdered ? this.#returns.isMember(client) : this.connections.isOpen(client);
    return {
      counts: {
        ...returns.counts,
        asked,
        // A run that was aborted cannot count clients it no longer awaits as overdue.
        overdue: this.#wasDeadline ? everCut - proven : 0,
        notStarted: asked - started,
        opened: there,
        lostBefore: everOpened - there,
        neverCut: this.#isOrdered ? returns.counts.neverCut : there,
        provenBefore: this.#heard.reduce((sum, each, client) => sum + (isThere(client) ? each : 0), 0),
        subscribers: there,
        received: this.#received,
      },
      causes: {
        ...returns.causes,
        connect: causes.connect ?? {},
        close: sumCounts([causes.close ?? {}, returns.causes.cut]),
      },
      timeline,
      samples: { ...returns.samples, ...ramp },
      series: returns.series,
    };
  }
}
