import { blocksOf } from '../../measure/samples/blocks.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { Cause, Clients } from '../../protocols/protocol.js';
import { none, notZero, total } from '../books/ledger.js';
import type { Slices } from '../books/marks/mark-times.js';
import type { Membership } from '../books/marks/memberships.js';
import { Ramp } from '../roster/ramp.js';
import { Roster } from '../roster/roster.js';
import { type VisitOptions, Visits } from '../roster/visits.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { mostProofs } from './send-schedule.js';
import { type Say, Sends } from './sends.js';

/** Interval at which ends and missing answers are looked for. */
const tickMs = 5;

interface SendersOptions extends VisitOptions {
  rampRatePerSecond: number;
}

type Family = 'delivery' | 'answer';

/** A figure of senders: of their connections, or of their sends. */
export type SenderFigure =
  | ('connect' | 'connectAtLeast' | 'subscribe' | 'subscribeAtLeast' | 'sendLag')
  | `${Family}${'' | 'FromIntended' | 'AtLeast'}`;

/** What a scenario calls the figures that it has. */
export type SenderFigures = Readonly<Record<string, SenderFigure>>;

/** Sends of clients that follow answers. */
export interface SenderLoop {
  /** Called for each first answer. */
  answered(client: number, row: number): void;
  /** Resolves when the sends are over. */
  run(sends: Sends, startAtNs: number, signal: AbortSignal): Promise<void>;
}

/** What the clients of a scenario do. */
export interface SenderPlan {
  /** The measured stage. */
  stage: string;
  slices: Slices;
  /** Time of the sends before the measured ones. */
  warmUpMs: number;
  /** Time of all sends of a client, warm-up included. Visitors come within it. */
  lastsMs: number;
  /** Time of a send among those of all clients, by which the last one lasts longer. 0 if no schedule makes them. */
  intervalMs: number;
  figures: SenderFigures;
  say: Say;
  /** The stream that a client subscribes to, whose subscribers are a group. Without it, a first answer proves it. */
  streamOf?(client: number): string;
  /** Begins the sends of a client that is there, from an instant until another. Both are left out for all. */
  begin(client: number, sends: Sends, fromNs?: number, untilNs?: number): void;
  /** Makes the sends that no schedule makes. */
  loop?: SenderLoop | undefined;
}

/** Holds the clients of one worker, and its visitors while they are there, and has them send as planned. */
export class Senders implements Role {
  readonly #context: AudienceContext<SendersOptions>;
  readonly #plan: SenderPlan;
  readonly #roster: Roster;
  readonly #ramp: Ramp;
  readonly #visits: Visits;
  readonly #sends: Sends;
  readonly #memberships: (Membership | undefined)[] = [];
  readonly #proofs: Proofs;
  /** Per client: sends of its schedule or loop without an answer. */
  readonly #awaited: Int32Array;
  #members: number | undefined;
  #sent = 0;
  #received = 0;

  constructor(context: AudienceContext<SendersOptions>, plan: SenderPlan) {
    this.#context = context;
    this.#plan = plan;
    this.#awaited = new Int32Array(context.clientCount);
    this.#roster = new Roster(
      context,
      {
        prove: (clients, client) => this.#prove(clients, client),
        proveAgain: (_clients, client) => this.#proofs.askAgain(client),
        deliveries: (batch) => this.#sends.book.take(batch),
        sends: (batch) => this.#sends.take(batch),
      },
      tickMs,
    );
    this.#sends = new Sends(context, this.#roster, plan.slices, plan.say, {
      sent: (client) => {
        this.#sent++;
        this.#awaited[client]!++;
      },
      arrived: (client, row, isAnswer) => this.#arrived(client, row, isAnswer),
    });
    this.#proofs = new Proofs(context, this.#sends);
    this.#ramp = new Ramp(this.#roster, {
      subscribed: (client) => this.#joined(client),
      lost: (client, cause) => this.#lost(client, cause),
    });
    this.#visits = new Visits(this.#roster, context, {
      arrived: (client, toNs) => plan.begin(client, this.#sends, context.nowNs(), toNs),
      cut: (client, cause) => this.#lost(client, cause),
      hasAll: (client) => this.#awaited[client] === 0,
    });
  }

  #prove(clients: Clients, client: number): void {
    if (this.#plan.streamOf) clients.subscribe(client, this.#plan.streamOf(client));
    else this.#proofs.ask(client);
  }

  #joined(client: number): void {
    const { sinceNs } = this.#roster;
    const { nowNs } = this.#context;
    const stream = this.#plan.streamOf?.(client);
    if (stream !== undefined)
      this.#memberships[client] = this.#sends.book.join(client, stream, sinceNs[client] as number, nowNs());
  }

  /** A client that is cut once the load has begun stays owed what the others send. */
  #lost(client: number, cause: Cause): void {
    const membership = this.#memberships[client];
    if (this.#members !== undefined) this.#roster.lostOne(cause);
    else if (membership !== undefined) this.#sends.book.leave(membership, this.#context.nowNs());
  }

  #arrived(client: number, row: number, isAnswer: boolean): void {
    if (isAnswer && this.#proofs.take(row)) {
      this.#roster.subscribed(client);
      return;
    }
    this.#received++;
    if (!isAnswer) return;
    this.#awaited[client]!--;
    this.#plan.loop?.answered(client, row);
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { rampRatePerSecond: ratePerSecond, drainMs } = this.#context.options;
    if (name === 'ramp') await this.#ramp.run(startAtNs, { ratePerSecond, upTo: this.#visits.staying }, signal);
    if (name === this.#plan.stage) await this.#send(startAtNs, signal);
    if (name === 'drain') await this.#drain(startAtNs + drainMs * 1e6, signal);
  }

  async #send(startAtNs: number, signal: AbortSignal): Promise<void> {
    this.#members = this.#roster.there;
    // Slots count from the start of the warm-up.
    this.#sends.startAt(startAtNs, this.#context.slots ? 0 : this.#plan.warmUpMs);
    this.#roster.hasClients('send by');
    for (let client = 0; client < this.#visits.staying; client++) this.#plan.begin(client, this.#sends);
    this.#visits.begin(startAtNs);
    const endNs = this.#visits.isPlanned ? startAtNs + this.#plan.lastsMs * 1e6 : startAtNs;
    let isLooping = this.#plan.loop !== undefined;
    const looped = this.#plan.loop?.run(this.#sends, startAtNs, signal).finally(() => {
      isLooping = false;
    });
    await this.#roster.waitUntil(
      (nowNs) => nowNs >= endNs && !isLooping && this.#sends.areOver,
      signal,
      () => this.#visits.tick(),
    );
    await Promise.all([looped, this.#sends.settled(signal)]);
  }

  async #drain(endNs: number, signal: AbortSignal): Promise<void> {
    await this.#roster.waitUntil(
      (nowNs) => nowNs >= endNs || this.#sends.book.isComplete(),
      signal,
      () => this.#visits.tick(),
    );
    this.#sends.close();
  }

  progress(): Record<string, number> {
    return { ...this.#ramp.progress(), sent: this.#sent, received: this.#received, ...this.#visits.progress() };
  }

  bins(): Uint32Array {
    return this.#sends.book.binsOf(this.#plan.streamOf ? 'delivery' : 'answer');
  }

  learn(sends: Parameters<NonNullable<Role['learn']>>[0]): void {
    this.#sends.book.learn(sends);
  }

  report(): RoleReport {
    const { counts, causes, timeline, ramp } = this.#ramp.report();
    const sends = this.#sends.report();
    // A loop has no schedule that it could miss.
    const { offeredPerSecond, ...sent } = sends.counts;
    const figures = Object.entries(this.#plan.figures);
    const samples: Record<string, Samples> = { ...ramp, ...sends.samples };
    const series: Record<string, Uint32Array> = { ...sends.series };
    const { came = none, missing = none } = series;
    return this.#visits.reportWith({
      counts: {
        ...sumCounts([counts, sent]),
        ...(!this.#plan.loop && { offeredPerSecond }),
        ...this.#proofs.counts,
        received: this.#received,
        subscribers: (this.#members ?? this.#roster.there) + this.#visits.arrived,
      },
      causes: { ...causes, unsent: notZero(sends.causes.unsent) },
      timeline,
      longestMs: { arrivals: sends.lastsMs(this.#plan.intervalMs) },
      samples: Object.fromEntries(figures.map(([name, of]) => [name, samples[of]!])),
      series: {
        ...{ came, missing },
        ...Object.fromEntries(
          figures.flatMap(([name, of]) => {
            const blocks = series[blocksOf(of)];
            return blocks ? [[blocksOf(name), blocks]] : [];
          }),
        ),
      },
    });
  }

  dispose(): void {
    this.#sends.dispose();
    this.#roster.dispose();
  }
}

/**
 * Tracks the first answers that prove the clients of one worker. A client without one is asked again, evenly over its
 * subscribe timeout.
 */
class Proofs {
  readonly #asked: Uint8Array;
  readonly #askedNs: Float64Array;
  /** Rows of the sends that lack their answer. */
  readonly #rows = new Set<number>();

  constructor(
    private readonly context: Pick<AudienceContext<unknown>, 'clientCount' | 'load' | 'nowNs'>,
    private readonly sends: Sends,
  ) {
    this.#asked = new Uint8Array(context.clientCount);
    this.#askedNs = new Float64Array(context.clientCount);
  }

  ask(client: number): void {
    this.#askedNs[client] = this.context.nowNs();
    const row = this.sends.now(client, { isAnswered: true, isUnmeasured: true });
    if (row === undefined) return;
    this.#asked[client]!++;
    this.#rows.add(row);
  }

  /** Asks a client again if its last answer stays away. */
  askAgain(client: number): void {
    const { nowNs, load } = this.context;
    const asked = this.#asked[client] as number;
    const dueNs = (this.#askedNs[client] as number) + (load.subscribeTimeoutMs * 1e6) / mostProofs;
    if (asked > 0 && asked < mostProofs && nowNs() >= dueNs) this.ask(client);
  }

  /** Takes an answer. Returns true if it proves its client. */
  take(row: number): boolean {
    return this.#rows.delete(row);
  }

  /** Counts the sends of this kind, and those of them without an answer. */
  get counts(): Record<'proofs' | 'proofsLost', number> {
    return { proofs: total(this.#asked), proofsLost: this.#rows.size };
  }
}
