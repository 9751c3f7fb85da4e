import type { Cause, ClientEvents, Clients, DeliveryBatch } from '../../protocols/protocol.js';
import type { AudienceContext } from '../scenario.js';
import type { Timeline } from '../timeline.js';
import { type Backoff, backoffDelayMs } from './backoff.js';
import { Moments } from './moments.js';

/**
 *     there --cut--> down --open--> trying --opened--> open --subscribed--> back --delivery--> proven
 *                    down <--failed-- trying, open               down <--cut-- back, proven
 *
 * A client whose library reconnects goes from `down` to `open` by itself. A client that was not there when it began stands outside.
 */
const place = { outside: 0, there: 1, down: 2, trying: 3, open: 4, back: 5, proven: 6 } as const;

/** Why a client is not back that has not failed since it was cut; a library does not tell which of its own attempts failed. */
const whyAway = (at: number | undefined, reconnects = false): string => {
  if (at !== place.down) return 'under way';
  return reconnects ? 'left to its library' : 'not tried';
};

/** Our engine needs up to 2 s to end the TCP connection of a client that the protocol refused, and can't open it again before. */
const afterRefusalMs = 3000;
const never = Number.POSITIVE_INFINITY;

/** What is asked of those that come back. */
export interface ReturnsOptions extends Omit<Backoff, 'seed'> {
  /** How long after the order a delivery still proves a client. */
  deadlineMs: number;
}

/** The order to restart, and the clients that are there when the books begin. */
export interface Order {
  /** As this shard knows it; infinite where it is still to come and `ordered` will say when. */
  atNs: number;
  clients: Clients;
  isMember(client: number): boolean;
  timeline: Timeline;
  absences?: AbsenceEvents;
}

/** Told of each absence of a client as it happens. */
export interface AbsenceEvents {
  left(client: number, atNs: number): void;
  /** A new connection of the client is open, by an attempt that began at `sinceNs`. */
  returning(client: number, sinceNs: number): void;
  back(client: number, atNs: number): void;
}

/**
 * What becomes of one worker's clients as their target is restarted: when each was cut, came back and was proven back by a delivery. They are left to
 * their library where that reconnects; all others are opened again after waits that are drawn alike for all targets.
 */
export class Returns implements ClientEvents {
  readonly #context: AudienceContext<ReturnsOptions>;
  readonly #place: Uint8Array;
  /** When a client that is down is opened, and one that is open given up. */
  readonly #dueAtNs: Float64Array;
  readonly #moments: Moments;
  readonly #isUnconfirmed: Uint8Array;
  /** Number of the next attempt since the client was there or back last. */
  readonly #attempt: Int32Array;
  readonly #lastFailure: (Cause | undefined)[];
  readonly #causes: Record<'cut' | 'cutAgain' | 'attempt', Record<string, number>> = {
    cut: {},
    cutAgain: {},
    attempt: {},
  };
  readonly #counts = { cut: 0, cutAgain: 0, attempts: 0, failedAttempts: 0, returns: 0, resumes: 0, recovered: 0 };
  #order: Order | undefined;
  #members = 0;
  #back = 0;
  #proven = 0;
  #isOver = false;

  constructor(context: AudienceContext<ReturnsOptions>) {
    const { clientCount, options } = context;
    this.#context = context;
    this.#place = new Uint8Array(clientCount);
    this.#dueAtNs = new Float64Array(clientCount).fill(never);
    this.#moments = new Moments({
      clients: clientCount,
      deadlineMs: options.deadlineMs,
      recorder: () => context.recorder(),
    });
    this.#isUnconfirmed = new Uint8Array(clientCount);
    this.#attempt = new Int32Array(clientCount);
    this.#lastFailure = new Array<Cause | undefined>(clientCount).fill(undefined);
  }

  begin(order: Order): void {
    this.#order = order;
    this.#moments.begin(order.atNs);
    for (let client = 0; client < this.#place.length; client++) {
      if (!order.isMember(client)) continue;
      this.#place[client] = place.there;
      this.#members++;
    }
  }

  /** The order to restart, where the books began before it. */
  ordered(atNs: number): void {
    this.#moments.begin(atNs);
  }

  isMember(client: number): boolean {
    return this.#place[client] !== place.outside;
  }

  /** Whether a client was cut and has had no delivery since. */
  isSilent(client: number): boolean {
    const at = this.#place[client];
    return at === place.down || at === place.trying || at === place.open || at === place.back;
  }

  get members(): number {
    return this.#members;
  }

  /** Members that are away now. */
  get away(): number {
    const { cut, cutAgain, returns } = this.#counts;
    return cut + cutAgain - returns;
  }

  /** Whether every client that was there was cut, and is proven back. */
  get isComplete(): boolean {
    return this.#proven === this.#members;
  }

  /** Live figures; `subscribers` are there, uncut or back. */
  progress(): Record<string, number> {
    return {
      subscribers: this.#members - this.away,
      cut: this.#counts.cut,
      back: this.#back,
      proven: this.#proven,
    };
  }

  /** Does what is due. */
  tick(): void {
    const nowNs = this.#context.nowNs();
    for (let client = 0; client < this.#place.length; client++) {
      if ((this.#dueAtNs[client] as number) > nowNs) continue;
      if (this.#place[client] === place.down) this.#open(client);
      else if (this.#place[client] === place.open) this.#endUnconfirmed(client);
    }
  }

  /** Ends the books: what happens from now on is no part of them. */
  close(): void {
    this.#isOver = true;
  }

  #open(client: number): void {
    this.#place[client] = place.trying;
    this.#dueAtNs[client] = never;
    this.#counts.attempts++;
    this.#order?.clients.open(client);
  }

  #endUnconfirmed(client: number): void {
    this.#isUnconfirmed[client] = 1;
    this.#dueAtNs[client] = never;
    this.#order?.clients.drop(client, 'reset');
  }

  // --- from the clients

  opened(client: number, _tcpNs: number, upgradeNs: number): void {
    if (this.#isOver) return;
    const nowNs = this.#context.nowNs();
    // A library's own attempt is known by its success alone.
    if (this.#place[client] === place.down) this.#counts.attempts++;
    this.#place[client] = place.open;
    this.#dueAtNs[client] = nowNs + this.#context.load.subscribeTimeoutMs * 1e6;
    this.#order?.absences?.returning(client, nowNs - upgradeNs);
  }

  ready(client: number): void {
    if (!this.#isOver && this.#place[client] === place.open)
      this.#order?.clients.subscribe(client, this.#context.stream);
  }

  subscribed(client: number): void {
    if (this.#isOver || this.#place[client] !== place.open || this.#isUnconfirmed[client] === 1) return;
    const nowNs = this.#context.nowNs();
    this.#place[client] = place.back;
    this.#moments.confirmed(client, nowNs);
    this.#dueAtNs[client] = never;
    this.#attempt[client] = 0;
    this.#lastFailure[client] = undefined;
    this.#counts.returns++;
    this.#back++;
    this.#order?.timeline.count('back', nowNs);
    this.#order?.absences?.back(client, nowNs);
  }

  closed(client: number, told: Cause): void {
    const was = this.#place[client];
    if (this.#isOver || was === place.down) return;
    const nowNs = this.#context.nowNs();
    const cause = this.#isUnconfirmed[client] === 1 ? 'subscribe-timeout' : told;
    this.#isUnconfirmed[client] = 0;
    if (was === place.there) this.#cut(client, cause, nowNs);
    else if (was === place.back || was === place.proven) this.#cutAgain(client, cause, nowNs);
    else this.#failed(client, cause);
    this.#place[client] = place.down;
    this.#dueAtNs[client] = this.#order?.clients.reconnects ? never : nowNs + this.#delayMs(client, cause) * 1e6;
  }

  #delayMs(client: number, cause: Cause): number {
    const { seed, firstClient, options } = this.#context;
    const attempt = this.#attempt[client] as number;
    this.#attempt[client] = attempt + 1;
    const leastMs = cause.startsWith('rejected') ? afterRefusalMs : 0;
    return Math.max(leastMs, backoffDelayMs({ seed, ...options }, firstClient + client, attempt));
  }

  #cut(client: number, cause: Cause, nowNs: number): void {
    this.#counts.cut++;
    add(this.#causes.cut, cause);
    this.#moments.cut(client, nowNs);
    this.#order?.timeline.count(`cut ${cause}`, nowNs);
    this.#order?.absences?.left(client, nowNs);
  }

  #cutAgain(client: number, cause: Cause, nowNs: number): void {
    this.#counts.cutAgain++;
    add(this.#causes.cutAgain, cause);
    this.#back--;
    if (this.#place[client] === place.proven) this.#proven--;
    this.#order?.timeline.count(`cut again ${cause}`, nowNs);
    this.#order?.absences?.left(client, nowNs);
  }

  #failed(client: number, cause: Cause): void {
    this.#counts.failedAttempts++;
    add(this.#causes.attempt, cause);
    this.#lastFailure[client] = cause;
  }

  /** What a target replays proves a client like every other delivery. */
  resumed(_client: number, wasRecovered: boolean): void {
    if (this.#isOver) return;
    this.#counts.resumes++;
    if (wasRecovered) this.#counts.recovered++;
  }

  /** Hot path: allocates nothing. */
  deliveries(batch: DeliveryBatch): void {
    if (this.#isOver) return;
    for (let i = 0; i < batch.count; i++) {
      const client = batch.client[i] as number;
      if (this.#place[client] !== place.back) continue;
      if (!this.#moments.isProof(client, batch.receivedAtNs[i] as number)) continue;
      this.#place[client] = place.proven;
      this.#proven++;
    }
  }

  /**
   * Counts, causes, series and samples; the recorders are spent by it. What is left at the end is read from the places, so that the ledger can break.
   * `wasDeadline` says that everybody was awaited to the deadline, with which those count who are not back.
   */
  report(wasDeadline: boolean) {
    const end = { neverCut: 0, proven: 0, backUnproven: 0, underWay: 0 };
    const notBack: Record<string, number> = {};
    this.#place.forEach((at, client) => {
      if (at === place.outside) return;
      if (at === place.there) {
        end.neverCut++;
        return;
      }
      if (at === place.proven || at === place.back) this.#moments.recordBack(client);
      if (at === place.proven) {
        end.proven++;
        this.#moments.recordProven(client);
        return;
      }
      if (wasDeadline) this.#moments.recordCensored();
      if (at === place.back) {
        end.backUnproven++;
        return;
      }
      if (at === place.trying || at === place.open) end.underWay++;
      add(notBack, this.#lastFailure[client] ?? whyAway(at, this.#order?.clients.reconnects));
    });
    return {
      counts: { ...this.#counts, ...end, opened: this.#members },
      causes: { ...this.#causes, notBack },
      ...this.#moments.report(),
    };
  }
}

function add(causes: Record<string, number>, cause: string): void {
  causes[cause] = (causes[cause] ?? 0) + 1;
}
