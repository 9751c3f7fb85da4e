import type { Recorder } from '../../measure/recorder.js';
import type { Cause, ClientEvents, Clients } from '../../protocols/protocol.js';
import { ClientPresence } from '../broadcasts/presence.js';
import type { AudienceContext } from '../scenario.js';
import type { Timeline } from '../timeline.js';
import { DropQueue } from './drop-queue.js';
import type { JitterOptions } from './index.js';
import { dropInstants, retryDelayMs } from './schedule.js';

/**
 *     online --drop--> leaving --closed--> down --open--> trying --opened--> open --subscribed--> online
 *     online --cut by the target--> down
 *     trying, open --failed--> down
 *
 * A client whose library reconnects goes from `down` to `open` by itself. A client that is no member stands outside.
 */
const place = { outside: 0, online: 1, leaving: 2, down: 3, trying: 4, open: 5 } as const;

/** Why a member is away that has not failed; a library does not tell which of its own attempts failed. */
const whyAway = (at: number, reconnects = false): string => {
  if (at === place.leaving) return 'unnoticed by its library';
  if (at !== place.down) return 'under way';
  return reconnects ? 'left to its library' : 'not tried';
};

/** Our engine needs up to 2 s to end the TCP connection of a client that the protocol refused, and can't open it again before. */
const afterRefusalMs = 3000;
const never = Number.POSITIVE_INFINITY;

/** What absences begin with: the start of the broadcasts, and the clients that are subscribed then. */
export interface AbsencesBegin {
  startAtNs: number;
  clients: Clients;
  isMember(client: number): boolean;
  timeline: Timeline;
  /** Every member failed to come back: nothing is left to come back to. */
  stranded(cause: Cause): void;
}

/**
 * The comings and goings of one worker's subscribers while broadcasts go on: each is dropped by its schedule, has no network for the offline
 * window, and comes back: it is left to its library where that reconnects; all others are opened at the window's end and retried alike for all targets.
 */
export class Absences implements ClientEvents {
  readonly presence: ClientPresence;
  readonly #context: AudienceContext<JitterOptions>;
  readonly #offlineNs: number;
  readonly #place: Uint8Array;
  readonly #drops: DropQueue;
  /** When a client that is down is opened, and one that is open given up. */
  readonly #dueAtNs: Float64Array;
  /** When a client was dropped; 0 of one that the target cut. */
  readonly #droppedNs: Float64Array;
  /** Until when a client has no network. */
  readonly #offlineUntilNs: Float64Array;
  readonly #attemptNs: Float64Array;
  readonly #isUnconfirmed: Uint8Array;
  /** Attempts to come back that failed, in this absence, and why the last one did. */
  readonly #failures: Int32Array;
  readonly #lastFailure: (Cause | undefined)[];
  readonly #offline: Recorder;
  readonly #reconnect: Recorder;
  readonly #causes: Record<'close' | 'reconnect', Record<string, number>> = { close: {}, reconnect: {} };
  readonly #counts = {
    planned: 0,
    drops: 0,
    skipped: 0,
    cuts: 0,
    back: 0,
    attempts: 0,
    failedAttempts: 0,
    blocked: 0,
    resumes: 0,
    recovered: 0,
  };
  #begun: AbsencesBegin | undefined;
  #members = 0;
  #online = 0;
  /** Members whose attempts to come back have only failed so far. */
  #stranded = 0;

  constructor(context: AudienceContext<JitterOptions>) {
    const { clientCount, options } = context;
    this.#context = context;
    this.presence = new ClientPresence(context, clientCount);
    this.#offlineNs = options.offlineMs * 1e6;
    this.#place = new Uint8Array(clientCount);
    this.#drops = new DropQueue(clientCount);
    this.#dueAtNs = new Float64Array(clientCount).fill(never);
    this.#droppedNs = new Float64Array(clientCount);
    this.#offlineUntilNs = new Float64Array(clientCount);
    this.#attemptNs = new Float64Array(clientCount);
    this.#isUnconfirmed = new Uint8Array(clientCount);
    this.#failures = new Int32Array(clientCount);
    this.#lastFailure = new Array<Cause | undefined>(clientCount).fill(undefined);
    this.#offline = context.recorder();
    this.#reconnect = context.recorder();
  }

  /** Takes the members over; the first of them is dropped after the warm-up. */
  begin(begin: AbsencesBegin): void {
    const { options, board, seed, firstClient } = this.#context;
    const { everyMs, offlineMs, spread, warmUp, ratePerSecond } = options;
    this.#begun = begin;
    this.presence.begin(begin.startAtNs);
    const msOf = (broadcasts: number): number => (broadcasts * 1000) / ratePerSecond;
    const plan = { seed, everyMs, offlineMs, spread, lengthMs: msOf(board.size - warmUp) };
    for (let client = 0; client < this.#place.length; client++) {
      if (!begin.isMember(client)) continue;
      this.#place[client] = place.online;
      this.#members++;
      const instants = dropInstants(firstClient + client, plan);
      this.#counts.planned += instants.length;
      this.#drops.set(
        client,
        instants.map((atMs) => begin.startAtNs + (msOf(warmUp) + atMs) * 1e6),
      );
    }
    this.#online = this.#members;
  }

  isMember(client: number): boolean {
    return this.#place[client] !== place.outside;
  }

  get members(): number {
    return this.#members;
  }

  /** Members that are away now. */
  get away(): number {
    return this.#members - this.#online;
  }

  /** How many drops were made. */
  get drops(): number {
    return this.#counts.drops;
  }

  /** Does what is due. */
  tick(): void {
    const nowNs = this.#context.nowNs();
    for (let client = 0; client < this.#place.length; client++) {
      if (this.#drops.take(client, nowNs)) this.#drop(client, nowNs);
      if ((this.#dueAtNs[client] as number) > nowNs) continue;
      if (this.#place[client] === place.down) this.#open(client);
      else if (this.#place[client] === place.open) this.#endUnconfirmed(client);
    }
  }

  #drop(client: number, nowNs: number): void {
    if (this.#place[client] !== place.online) {
      this.#counts.skipped++;
      return;
    }
    this.#counts.drops++;
    this.#begun?.timeline.count('dropped', nowNs);
    this.#leave(client, place.leaving, nowNs);
    this.#droppedNs[client] = nowNs;
    this.#offlineUntilNs[client] = nowNs + this.#offlineNs;
    this.#openAt(client, nowNs + this.#offlineNs);
    this.#begun?.clients.drop(client, this.#context.options.dropMode);
  }

  #openAt(client: number, atNs: number): void {
    this.#dueAtNs[client] = this.#begun?.clients.reconnects ? never : atNs;
  }

  #leave(client: number, to: number, nowNs: number): void {
    this.#place[client] = to;
    this.#online--;
    this.presence.left(client, nowNs);
  }

  #open(client: number): void {
    this.#place[client] = place.trying;
    this.#dueAtNs[client] = never;
    this.#counts.attempts++;
    this.#begun?.clients.open(client);
  }

  #endUnconfirmed(client: number): void {
    this.#isUnconfirmed[client] = 1;
    this.#dueAtNs[client] = never;
    this.#begun?.clients.drop(client, 'reset');
  }

  // --- from the clients

  opened(client: number, _tcpNs: number, upgradeNs: number): void {
    const nowNs = this.#context.nowNs();
    if (nowNs < (this.#offlineUntilNs[client] as number)) {
      // A library that is faster than the window has no network yet: the window is one number for all.
      this.#counts.blocked++;
      this.#place[client] = place.leaving;
      this.#begun?.clients.drop(client, 'reset');
      return;
    }
    if (this.#place[client] !== place.trying) this.#counts.attempts++;
    this.#place[client] = place.open;
    this.#attemptNs[client] = nowNs - upgradeNs;
    this.#dueAtNs[client] = nowNs + this.#context.load.subscribeTimeoutMs * 1e6;
    this.presence.returning(client, nowNs - upgradeNs);
  }

  ready(client: number): void {
    if (this.#place[client] === place.open) this.#begun?.clients.subscribe(client, this.#context.stream);
  }

  subscribed(client: number): void {
    if (this.#place[client] !== place.open || this.#isUnconfirmed[client] === 1) return;
    const nowNs = this.#context.nowNs();
    this.#place[client] = place.online;
    this.#online++;
    this.#counts.back++;
    this.#dueAtNs[client] = never;
    this.presence.back(client, nowNs);
    const droppedNs = this.#droppedNs[client] as number;
    if (droppedNs > 0) this.#offline.record((nowNs - droppedNs) / 1000);
    this.#reconnect.record((nowNs - (this.#attemptNs[client] as number)) / 1000);
    if (this.#lastFailure[client] !== undefined) this.#stranded--;
    this.#lastFailure[client] = undefined;
    this.#failures[client] = 0;
    this.#droppedNs[client] = 0;
    this.#begun?.timeline.count('back', nowNs);
  }

  closed(client: number, cause: Cause): void {
    const was = this.#place[client];
    if (was === place.down) return;
    const nowNs = this.#context.nowNs();
    if (was === place.online) this.#cut(client, cause, nowNs);
    else if (was !== place.leaving) this.#failed(client, cause, nowNs);
    this.#place[client] = place.down;
    if (this.#stranded === this.#members) this.#begun?.stranded(cause);
  }

  #cut(client: number, cause: Cause, nowNs: number): void {
    this.#counts.cuts++;
    this.#causes.close[cause] = (this.#causes.close[cause] ?? 0) + 1;
    this.#begun?.timeline.count(`cut ${cause}`, nowNs);
    this.#leave(client, place.down, nowNs);
    this.#retryLater(client, cause, nowNs);
  }

  #failed(client: number, told: Cause, nowNs: number): void {
    const cause = this.#isUnconfirmed[client] === 1 ? 'subscribe-timeout' : told;
    this.#isUnconfirmed[client] = 0;
    this.#counts.failedAttempts++;
    this.#causes.reconnect[cause] = (this.#causes.reconnect[cause] ?? 0) + 1;
    if (this.#lastFailure[client] === undefined) this.#stranded++;
    this.#lastFailure[client] = cause;
    this.#retryLater(client, cause, nowNs);
  }

  #retryLater(client: number, cause: Cause, nowNs: number): void {
    const { seed, firstClient } = this.#context;
    const failures = this.#failures[client] as number;
    this.#failures[client] = failures + 1;
    const leastMs = cause.startsWith('rejected') ? afterRefusalMs : 0;
    const delayMs = Math.max(leastMs, retryDelayMs(seed, firstClient + client, failures));
    this.#openAt(client, nowNs + delayMs * 1e6);
  }

  resumed(client: number, wasRecovered: boolean): void {
    if (this.#place[client] !== place.open && this.#place[client] !== place.online) return;
    this.#counts.resumes++;
    if (wasRecovered) this.#counts.recovered++;
  }

  deliveries(): void {
    // Whoever keeps the books gets them, for all clients at once.
  }

  /** Counts, causes and samples; the recorders are spent by it. What is left at the end is read from the places, so that the ledger can break. */
  report() {
    const notBack: Record<string, number> = {};
    let underWay = 0;
    this.#place.forEach((at, client) => {
      if (at === place.outside || at === place.online) return;
      if (at === place.trying || at === place.open) underWay++;
      const why = this.#lastFailure[client] ?? whyAway(at, this.#begun?.clients.reconnects);
      notBack[why] = (notBack[why] ?? 0) + 1;
    });
    return {
      counts: { ...this.#counts, underWay, notDue: this.#drops.left },
      causes: { ...this.#causes, notBack },
      samples: { offline: this.#offline.finish(), reconnect: this.#reconnect.finish() },
    };
  }
}
