import type { Cause, ClientEvents, DeliveryBatch } from '../../protocols/protocol.js';
import type { Connections } from '../roles/connections.js';
import type { Timeline } from '../roles/timeline.js';
import type { AudienceContext } from '../scenario.js';
import { AwayClients } from './away-clients.js';
import { type AbsenceTimes, Moments } from './moments.js';
import type { Backoff } from './options.js';

/**
 *     there --cut--> cut --subscribed again--> back --delivery--> proven
 *                    cut <-------cut again---- back, proven
 *
 * A client that was not there at the start is `outside`.
 */
const place = { outside: 0, there: 1, cut: 2, back: 3, proven: 4 } as const;

export interface ReturnsOptions extends Omit<Backoff, 'seed'> {
  /** Longest time after the order at which a delivery still proves a client. */
  deadlineMs: number;
}

/** Follows one worker's clients through a restart: when each is cut, back, and proven by a delivery. */
export class Returns implements ClientEvents {
  readonly #away: AwayClients;
  readonly #place: Uint8Array;
  readonly #moments: Moments;
  readonly #causes: Record<'cut' | 'cutAgain', Record<string, number>> = { cut: {}, cutAgain: {} };
  readonly #counts = { cut: 0, cutAgain: 0, returns: 0 };
  #timeline: Timeline | undefined;
  #absences: AbsenceTimes | undefined;
  #members = 0;
  #back = 0;
  #proven = 0;
  #isOver = false;

  constructor(private readonly context: AudienceContext<ReturnsOptions>) {
    const { clientCount, options } = context;
    this.#away = new AwayClients(context, options);
    this.#place = new Uint8Array(clientCount);
    this.#moments = new Moments(context, options.deadlineMs);
  }

  /**
   * Follows the connected clients. `orderNs` is the order as this shard knows it, or infinite if `ordered` sets it
   * later.
   */
  begin(orderNs: number, connections: Connections, absences?: AbsenceTimes): void {
    this.#timeline = connections.timeline;
    this.#absences = absences;
    this.#away.begin(connections.clients);
    this.#moments.begin(orderNs);
    for (let client = 0; client < this.#place.length; client++) {
      if (!connections.isOpen(client)) continue;
      this.#place[client] = place.there;
      this.#members++;
    }
  }

  ordered(atNs: number): void {
    this.#moments.begin(atNs);
  }

  isMember(client: number): boolean {
    return this.#place[client] !== place.outside;
  }

  /** Returns true if a client was cut and has had no delivery since. */
  isSilent(client: number): boolean {
    return this.#place[client] === place.cut || this.#place[client] === place.back;
  }

  get members(): number {
    return this.#members;
  }

  get away(): number {
    return this.#away.count;
  }

  /** True if every client that was there was cut, and is proven back. */
  get isComplete(): boolean {
    return this.#proven === this.#members;
  }

  /** Returns live figures. `subscribers` are there, uncut or back. */
  progress(): Record<string, number> {
    return {
      subscribers: this.#members - this.away,
      cut: this.#counts.cut,
      back: this.#back,
      proven: this.#proven,
    };
  }

  tick(): void {
    this.#moments.tick();
    this.#away.tick();
  }

  close(): void {
    this.#isOver = true;
  }

  opened(client: number, _tcpNs: number, upgradeNs: number): void {
    if (this.#isOver) return;
    this.#away.opened(client);
    this.#absences?.returning(client, this.#away.arrivedAtNs(client) - upgradeNs);
  }

  ready(client: number): void {
    if (!this.#isOver) this.#away.ready(client);
  }

  subscribed(client: number): void {
    if (this.#isOver || !this.#away.subscribed(client)) return;
    const atNs = this.#away.arrivedAtNs(client);
    this.#place[client] = place.back;
    const absenceLeastNs = this.#away.absenceLeastNs(client);
    this.#moments.confirmed(client, atNs, absenceLeastNs);
    this.#counts.returns++;
    this.#back++;
    this.#timeline?.count('back', atNs);
    this.#absences?.back(client, atNs, this.#away.leastNs(client), absenceLeastNs);
  }

  closed(client: number, cause: Cause): void {
    const nowNs = this.context.nowNs();
    if (this.#isOver || !this.#away.closed(client, cause)) return;
    const isAgain = this.#place[client] !== place.there;
    const name = isAgain ? 'cutAgain' : 'cut';
    this.#counts[name]++;
    this.#causes[name][cause] = (this.#causes[name][cause] ?? 0) + 1;
    if (isAgain) this.#back--;
    if (this.#place[client] === place.proven) this.#proven--;
    this.#place[client] = place.cut;
    this.#moments.cut(client, nowNs);
    this.#timeline?.count(`${isAgain ? 'cut again' : 'cut'} ${cause}`, nowNs);
    this.#absences?.left(client, nowNs);
  }

  /** A replayed delivery proves a client like any other delivery. */
  resumed(client: number, wasRecovered: boolean): void {
    if (!this.#isOver) this.#away.resumed(client, wasRecovered);
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
   * Returns counts, causes, series and samples. Reads the end from the places, so that the ledger can find a mismatch.
   */
  report() {
    const end = { neverCut: 0, cutBefore: 0, proven: 0, backUnproven: 0 };
    this.#place.forEach((at, client) => {
      if (at === place.there) end.neverCut++;
      if (this.#moments.wasCutBefore(client)) end.cutBefore++;
      if (at === place.back) end.backUnproven++;
      if (at === place.back || at === place.proven) this.#moments.recordBack(client);
      if (at !== place.proven) return;
      end.proven++;
      this.#moments.recordProven(client);
    });
    const { counts, failures, notBack, samples } = this.#away.report();
    const moments = this.#moments.report();
    return {
      counts: { ...this.#counts, ...counts, ...end, opened: this.#members },
      causes: { ...this.#causes, attempt: failures, notBack },
      series: moments.series,
      samples: { ...moments.samples, ...samples },
    };
  }
}
