import type { Recorder } from '../../measure/samples/recorder.js';
import type { Cause, Clients } from '../../protocols/protocol.js';
import type { LaterEvents, ProofHooks } from '../roles/connection-events.js';
import type { Connections } from '../roles/connections.js';
import { arrivedAtNs, finished, recordersOf } from '../roles/delivery-times.js';
import type { AudienceContext } from '../scenario.js';
import { shareVisits, stagesOf, type Visit, visitCount, visitsOf } from './stages.js';

/**
 *     expected --due--> admitted --may come--> trying --opened--> open --subscribed--> there
 *        |                 |                      |                 |
 *        +--its end came---+----------------------+-----------------+--> unready or failed
 *
 *     there --planned end--> leaving --has all--> left
 *       +-----------------------+--cut by the target--> cut
 */
const place = {
  expected: 0,
  admitted: 1,
  trying: 2,
  open: 3,
  there: 4,
  leaving: 5,
  left: 6,
  cut: 7,
  unready: 8,
  failed: 9,
} as const;

export interface VisitOptions {
  stages?: string | undefined;
  drainMs: number;
}

export interface VisitHooks extends ProofHooks {
  /** Runs before a client connects. Resolves with the cause if it cannot. Without this hook it connects at once. */
  admit?(client: number): Promise<Cause | undefined>;
  /** Called when the client is there, until `toNs` at most. */
  arrived(client: number, toNs: number): void;
  cut(client: number, cause: Cause): void;
  /** Returns true if everything owed to the client has arrived. Left out if no client leaves. */
  hasAll?(client: number): boolean;
}

/** Holds the visitors of one worker. Each is a client of its own that comes once, tries once, and leaves once. */
export class Visitors implements LaterEvents {
  /** Number of clients of this worker that stay from the ramp on. Those behind them are visitors. */
  readonly staying: number;
  readonly #context: AudienceContext<VisitOptions>;
  readonly #visits: readonly Visit[];
  readonly #place: Uint8Array;
  readonly #sinceNs: Float64Array;
  readonly #openedNs: Float64Array;
  readonly #times: Record<'arrival' | 'arrivalAtLeast' | 'arrivalLag', Recorder>;
  readonly #causes: Record<'arrive' | 'close', Record<string, number>> = { arrive: {}, close: {} };
  #connections: Connections | undefined;
  #hooks: VisitHooks | undefined;
  #startAtNs = 0;
  #there = 0;
  #toCome: number;

  constructor(context: AudienceContext<VisitOptions>) {
    const stages = stagesOf(context.options.stages);
    const { staying, visits } = shareVisits(context, visitCount(stages));
    const all = visitsOf(stages);
    this.#context = context;
    this.staying = staying;
    this.#visits = visits.map((visit) => all[visit] as Visit);
    this.#place = new Uint8Array(visits.length);
    this.#sinceNs = new Float64Array(visits.length);
    this.#openedNs = new Float64Array(visits.length);
    this.#toCome = visits.length;
    this.#times = recordersOf(() => context.recorder(), 'arrival', 'arrivalAtLeast', 'arrivalLag');
  }

  begin(startAtNs: number, connections: Connections, hooks: VisitHooks): void {
    this.#startAtNs = startAtNs;
    this.#connections = connections;
    this.#hooks = hooks;
  }

  isMember(client: number): boolean {
    return client >= this.staying;
  }

  /** Visitors that are there now. */
  get there(): number {
    return this.#there;
  }

  /** Visitors that are there or still to come. */
  get left(): number {
    return this.#there + this.#toCome;
  }

  /** Visitors that came so far. */
  get arrived(): number {
    return this.#times.arrival.count;
  }

  isThere(client: number): boolean {
    return this.isStaying(client) || this.#place[client - this.staying] === place.leaving;
  }

  /** Returns true if the client is there and its time is not over. */
  isStaying(client: number): boolean {
    return this.#place[client - this.staying] === place.there;
  }

  /** Returns true if the target cut the client and its time is not over. */
  isMissed(client: number): boolean {
    const visitor = client - this.staying;
    return this.#place[visitor] === place.cut && this.#context.nowNs() < this.#toNs(visitor);
  }

  /**
   * Admits visitors that are due, and ends those whose time is over: at once if they have everything owed to them, else
   * after one drain.
   */
  tick(): void {
    const nowNs = this.#context.nowNs();
    for (let visitor = 0; visitor < this.#place.length; visitor++) this.#look(visitor, nowNs);
  }

  #look(visitor: number, nowNs: number): void {
    const isOver = nowNs >= this.#toNs(visitor);
    if (isOver && this.#place[visitor] === place.there) this.#place[visitor] = place.leaving;
    switch (this.#place[visitor]) {
      case place.expected:
        if (isOver) this.#settle(visitor, place.unready);
        else if (nowNs >= this.#fromNs(visitor)) this.#admit(visitor, nowNs);
        return;
      case place.admitted:
      case place.trying:
      case place.open:
        if (isOver) this.#giveUp(visitor);
        else if (this.#isOverdue(visitor, nowNs)) this.timeOut(visitor + this.staying);
        else this.#proveAgain(visitor);
        return;
      case place.leaving: {
        const isLong = nowNs >= this.#toNs(visitor) + this.#context.options.drainMs * 1e6;
        if (isLong || this.#hooks?.hasAll?.(visitor + this.staying)) this.#leave(visitor, nowNs);
      }
    }
  }

  #fromNs(visitor: number): number {
    return this.#startAtNs + (this.#visits[visitor] as Visit).fromMs * 1e6;
  }

  #toNs(visitor: number): number {
    return this.#startAtNs + (this.#visits[visitor] as Visit).toMs * 1e6;
  }

  get #clients(): Clients | undefined {
    return this.#connections?.clients;
  }

  #admit(visitor: number, nowNs: number): void {
    this.#place[visitor] = place.admitted;
    this.#times.arrivalLag.record((nowNs - this.#fromNs(visitor)) / 1000);
    const admitted = this.#hooks?.admit?.(visitor + this.staying);
    if (admitted === undefined) this.#open(visitor);
    else void admitted.then((cause) => this.#open(visitor, cause));
  }

  /** Connects a client, unless its time is over by now or `refusal` says why it may not come. */
  #open(visitor: number, refusal?: Cause): void {
    if (this.#place[visitor] !== place.admitted) return;
    if (refusal !== undefined) {
      this.#fail(visitor, refusal);
      return;
    }
    this.#place[visitor] = place.trying;
    this.#sinceNs[visitor] = this.#context.nowNs();
    this.#clients?.open(visitor + this.staying);
  }

  #isOverdue(visitor: number, nowNs: number): boolean {
    const limitNs = this.#context.load.subscribeTimeoutMs * 1e6;
    return this.#place[visitor] === place.open && nowNs - (this.#openedNs[visitor] as number) > limitNs;
  }

  #proveAgain(visitor: number): void {
    if (this.#place[visitor] !== place.open || this.#clients === undefined) return;
    this.#hooks?.proveAgain?.(this.#clients, visitor + this.staying);
  }

  /** Sets the place before the drop. The drop closes the connection, and that close must not be counted. */
  #giveUp(visitor: number): void {
    const isAway = this.#place[visitor] === place.admitted;
    this.#settle(visitor, place.unready);
    if (!isAway) this.#clients?.drop(visitor + this.staying, 'reset');
  }

  /** Ends a client that makes no progress. */
  timeOut(client: number): void {
    this.closed(client, 'subscribe-timeout');
    this.#clients?.drop(client, 'reset');
  }

  #leave(visitor: number, nowNs: number): void {
    this.#there--;
    this.#place[visitor] = place.left;
    this.#connections?.timeline.count('left', nowNs);
    this.#clients?.drop(visitor + this.staying, 'close');
  }

  /** Settles the outcome of a visitor that was still to come. */
  #settle(visitor: number, at: number): void {
    this.#toCome--;
    this.#place[visitor] = at;
  }

  opened(client: number): void {
    const visitor = client - this.staying;
    if (this.#place[visitor] !== place.trying) return;
    this.#place[visitor] = place.open;
    this.#openedNs[visitor] = this.#context.nowNs();
  }

  ready(client: number): void {
    if (this.#place[client - this.staying] !== place.open || this.#clients === undefined) return;
    if (this.#hooks?.prove) this.#hooks.prove(this.#clients, client);
    else this.#clients.subscribe(client, this.#context.stream);
  }

  subscribed(client: number): void {
    const visitor = client - this.staying;
    if (this.#place[visitor] !== place.open) return;
    const nowNs = this.#context.nowNs();
    this.#settle(visitor, place.there);
    this.#there++;
    const arrivedNs = arrivedAtNs(this.#clients, client, this.#context);
    this.#times.arrival.record(Math.max(0, arrivedNs - (this.#sinceNs[visitor] as number)) / 1000);
    this.#times.arrivalAtLeast.record((this.#clients?.leastNs(client) ?? 0) / 1000);
    this.#connections?.timeline.count('arrived', nowNs);
    this.#hooks?.arrived(client, this.#toNs(visitor));
  }

  /** A broadcast sent until the planned end of a visit stays owed to its visitor, even if it is cut. */
  closed(client: number, cause: Cause): void {
    const visitor = client - this.staying;
    const was = this.#place[visitor];
    if (was === place.trying || was === place.open) this.#fail(visitor, cause);
    if (!this.isThere(client)) return;
    this.#there--;
    this.#place[visitor] = place.cut;
    this.#count('close', cause);
    this.#connections?.timeline.count(`cut ${cause}`, this.#context.nowNs());
    this.#hooks?.cut(client, cause);
  }

  #fail(visitor: number, cause: Cause): void {
    this.#settle(visitor, place.failed);
    this.#count('arrive', cause);
  }

  #count(occasion: 'arrive' | 'close', cause: Cause): void {
    this.#causes[occasion][cause] = (this.#causes[occasion][cause] ?? 0) + 1;
  }

  resumed(): void {
    // A visitor comes once, so it has no session to resume.
  }

  /** Reads the places, so that the ledger can find a mismatch. */
  report() {
    const at = (...places: readonly number[]): number =>
      this.#place.reduce((sum, each) => sum + (places.includes(each) ? 1 : 0), 0);
    return {
      counts: {
        visits: this.#place.length,
        visitsFailed: at(place.failed),
        visitsUnready: at(place.unready, place.admitted, place.trying, place.open),
        visitsNotDue: at(place.expected),
        visitsEnded: at(place.left),
        visitsCut: at(place.cut),
        visitsStayed: at(place.there, place.leaving),
        arrived: this.#times.arrival.count,
      },
      causes: this.#causes,
      samples: finished(this.#times),
    };
  }
}
