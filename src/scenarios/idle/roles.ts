import { Ramp } from '../roster/ramp.js';
import { Roster, type RosterHooks } from '../roster/roster.js';
import {
  type AudienceContext,
  isTaken,
  nothingToReport,
  type PublisherContext,
  type Role,
  type RoleReport,
} from '../scenario.js';
import { type IdleOptions, isPinged, probeTimeoutMsOf, rampRateOf } from './options.js';

const retryMs = 1000;

/**
 * Publishes the probe of each stream from the first shard, and again if the target did not take it, as long as it is
 * awaited.
 */
export class IdlePublisher implements Role {
  readonly #causes: Record<string, number> = {};
  #attempted = 0;
  #acked = 0;

  constructor(private readonly context: PublisherContext<IdleOptions>) {}

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { slice, options, load } = this.context;
    if (name !== 'probe' || slice.index !== 0 || isPinged(options)) return;
    const untilNs = startAtNs + probeTimeoutMsOf(options) * 1e6;
    const { streams = 1 } = options;
    let next = 0;
    const probeNext = async (): Promise<void> => {
      while (next < streams) await this.#probe(next++, untilNs, signal);
    };
    await Promise.all(Array.from({ length: Math.min(streams, load.maxInFlight) }, probeNext));
  }

  /** Broadcasts of a stream are as far apart as there are streams. */
  async #probe(stream: number, untilNs: number, signal: AbortSignal): Promise<void> {
    const { board, options, nowNs, sleep, streams } = this.context;
    for (let sequence = stream; sequence < board.size; sequence += options.streams ?? 1) {
      if (sequence > stream) await sleep(retryMs, signal);
      if (signal.aborted || (sequence > stream && nowNs() >= untilNs)) return;
      this.#attempted++;
      const answer = await this.context.publish(this.context.payload(sequence), undefined, streams?.nameFor(sequence));
      if (isTaken(answer)) {
        this.#acked++;
        return;
      }
      const cause = typeof answer === 'number' ? `http-status:${answer}` : String(answer);
      this.#causes[cause] = (this.#causes[cause] ?? 0) + 1;
    }
  }

  progress(): Record<string, number> {
    return {};
  }

  report(): RoleReport {
    const counts = { probesAttempted: this.#attempted, probesAcked: this.#acked };
    return { ...nothingToReport, counts, causes: { publish: this.#causes } };
  }
}

/** Names the stage in which a connection was lost, as an occasion of causes. */
const lossOf: Readonly<Record<string, LossOccasion>> = { ramp: 'lostInRamp', hold: 'lostInHold', probe: 'lostAtProbe' };

/** Pings sent in one turn of the loop, so that nothing else has to wait for all of them. */
const pingsAtOnce = 500;

/** Interval at which the probe is looked for. */
const tickMs = 100;

type LossOccasion = 'lostInRamp' | 'lostInHold' | 'lostAtProbe';

/** Opens connections, holds them, and proves at the end which of them still carry a message. */
export class IdleAudience implements Role {
  readonly #context: AudienceContext<IdleOptions>;
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  readonly #isProven: Uint8Array;
  /** Counted independently of the causes in `#ramp`: the two must come to the same. */
  readonly #losses: Record<LossOccasion, Record<string, number>> = { lostInRamp: {}, lostInHold: {}, lostAtProbe: {} };
  readonly #nothingOpen = new AbortController();
  #occasion: LossOccasion = 'lostInRamp';
  #proven = 0;
  #isRampOver = false;

  constructor(context: AudienceContext<IdleOptions>) {
    this.#context = context;
    this.#isProven = new Uint8Array(context.clientCount);
    const hooks: RosterHooks = {
      ponged: (client) => {
        if (this.#occasion === 'lostAtProbe') this.#prove(client);
      },
      deliveries: ({ count, client }) => {
        for (let i = 0; i < count; i++) this.#prove(client[i] as number);
      },
    };
    this.#roster = new Roster(context, hooks, tickMs);
    this.#ramp = new Ramp(this.#roster, { lost: (_client, cause) => this.#lost(cause) });
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { options } = this.#context;
    this.#occasion = lossOf[name] ?? this.#occasion;
    if (name === 'ramp') {
      const { maxPending, stallMs } = options;
      await this.#ramp.run(startAtNs, { ratePerSecond: rampRateOf(options), maxPending, stallMs }, signal);
      this.#isRampOver = true;
    }
    if (name === 'hold') await this.#hold(signal);
    if (name === 'probe' && isPinged(options)) await this.#ping(signal);
    if (name === 'probe') await this.#awaitProbe(startAtNs + probeTimeoutMsOf(options) * 1e6, signal);
  }

  /** Ends early for a worker without an open connection. Other workers may still hold some. */
  async #hold(signal: AbortSignal): Promise<void> {
    const { options, sleep } = this.#context;
    if (this.#roster.there === 0) return;
    await sleep(options.settleMs + options.durationMs, AbortSignal.any([signal, this.#nothingOpen.signal]));
  }

  async #ping(signal: AbortSignal): Promise<void> {
    const { clientCount, sleep } = this.#context;
    for (let client = 0; client < clientCount && !signal.aborted; client++) {
      if (this.#roster.isSubscribed(client)) this.#roster.clients?.ping?.(client);
      if (client % pingsAtOnce === pingsAtOnce - 1) await sleep(1, signal);
    }
  }

  async #awaitProbe(untilNs: number, signal: AbortSignal): Promise<void> {
    await this.#roster.waitUntil((nowNs) => nowNs >= untilNs || this.#areAllProven(), signal);
  }

  /** Checks each client only once enough are proven. */
  #areAllProven(): boolean {
    const { there } = this.#roster;
    return this.#proven >= there && this.#openAndProven() >= there;
  }

  #openAndProven(): number {
    let held = 0;
    this.#isProven.forEach((isProven, client) => {
      if (isProven === 1 && this.#roster.isSubscribed(client)) held++;
    });
    return held;
  }

  #prove(client: number): void {
    if (this.#isProven[client] === 1) return;
    this.#isProven[client] = 1;
    this.#proven++;
  }

  #lost(cause: string): void {
    const causes = this.#losses[this.#occasion];
    causes[cause] = (causes[cause] ?? 0) + 1;
    if (!this.#isRampOver || this.#roster.there > 0) return;
    this.#nothingOpen.abort();
    this.#roster.lostOne(cause);
  }

  progress(): Record<string, number> {
    return { ...this.#ramp.progress(), proven: this.#proven };
  }

  report(): RoleReport {
    const { counts, causes, timeline, ramp } = this.#ramp.report();
    const held = this.#openAndProven();
    return {
      counts: { ...counts, subscribers: counts.open ?? 0, proven: this.#proven, held },
      causes: { ...causes, ...this.#losses },
      timeline,
      samples: ramp,
      series: {},
    };
  }

  dispose(): void {
    this.#roster.dispose();
  }
}
