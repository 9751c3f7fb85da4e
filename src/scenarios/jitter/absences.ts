import type { Cause } from '../../protocols/protocol.js';
import { ClientPresence } from '../broadcasts/presence.js';
import { draw } from '../draws.js';
import { AwayClients } from '../returns/away-clients.js';
import { AbsenceTimes } from '../returns/moments.js';
import { defaultBackoff } from '../returns/options.js';
import type { LaterEvents } from '../roles/connection-events.js';
import type { Connections } from '../roles/connections.js';
import type { Timeline } from '../roles/timeline.js';
import type { AudienceContext } from '../scenario.js';
import type { JitterOptions, spreads } from './options.js';

export interface DropPlan {
  seed: number;
  everyMs: number;
  offlineMs: number;
  spread: (typeof spreads)[number];
  lengthMs: number;
}

/** Shortest time that a client is online, in milliseconds, so that no drop finds it still away on a slow machine. */
export const leastOnlineMs = 1000;

/**
 * Returns a client's drops, in ascending ms of the schedule. They are `everyMs` apart on average, and at least the
 * offline window.
 */
export function dropInstants(client: number, plan: DropPlan): number[] {
  const { seed, everyMs, offlineMs, spread, lengthMs } = plan;
  const leastMs = offlineMs + leastOnlineMs;
  const freeMs = everyMs - leastMs;
  const gapOf = (share: number): number => leastMs - Math.log(1 - share) * freeMs;
  const firstMs = everyMs * draw(seed, 'drop', client, 0);
  // The first interval is drawn from the residual time.
  const isEarly = spread === 'fixed' || firstMs < leastMs;
  let atMs = isEarly ? firstMs : gapOf((firstMs - leastMs) / freeMs);
  const instants: number[] = [];
  for (let n = 1; atMs < lengthMs; n++) {
    instants.push(atMs);
    atMs += spread === 'fixed' ? everyMs : gapOf(draw(seed, 'drop', client, n));
  }
  return instants;
}

const never = Number.POSITIVE_INFINITY;

/**
 * Holds the absences of one worker's subscribers. Each is dropped on schedule, and opened again after the offline
 * window.
 */
export class Absences implements LaterEvents {
  readonly presence: ClientPresence;
  readonly #away: AwayClients;
  readonly #times: AbsenceTimes;
  readonly #drops: DropQueue;
  readonly #isMember: Uint8Array;
  readonly #cuts: Record<string, number> = {};
  readonly #counts = { planned: 0, drops: 0, skipped: 0, cuts: 0, back: 0 };
  #timeline: Timeline | undefined;
  #stranded: ((cause: Cause) => void) | undefined;
  #members = 0;
  /** Instant since which no member is there. */
  #emptyNs = never;
  /**
   * Instant of the last tick. Since then the loop has read at most what had come before it, as sockets are read between
   * ticks.
   */
  #tickedNs = 0;

  constructor(private readonly context: AudienceContext<JitterOptions>) {
    const { clientCount } = context;
    this.presence = new ClientPresence(context, clientCount);
    this.#away = new AwayClients(context, defaultBackoff);
    this.#times = new AbsenceTimes(clientCount, () => context.recorder(), this.presence);
    this.#drops = new DropQueue(clientCount);
    this.#isMember = new Uint8Array(clientCount);
  }

  /**
   * Takes over the connected clients. Calls `stranded` if no client could come back for as long as clients are awaited.
   */
  begin(startAtNs: number, connections: Connections, stranded: (cause: Cause) => void): void {
    const { options, board, seed, firstClient } = this.context;
    const { everyMs, offlineMs, spread, warmUp, ratePerSecond } = options;
    this.#timeline = connections.timeline;
    this.#stranded = stranded;
    this.#away.begin(connections.clients);
    this.presence.begin(startAtNs);
    this.#tickedNs = startAtNs;
    const msOf = (broadcasts: number): number => (broadcasts * 1000) / ratePerSecond;
    const plan = { seed, everyMs, offlineMs, spread, lengthMs: msOf(board.size - warmUp) };
    for (let client = 0; client < this.#isMember.length; client++) {
      if (!connections.isOpen(client)) continue;
      this.#isMember[client] = 1;
      this.#members++;
      const instants = dropInstants(firstClient + client, plan);
      this.#counts.planned += instants.length;
      const atNs = instants.map((atMs) => startAtNs + (msOf(warmUp) + atMs) * 1e6);
      this.#drops.set(client, atNs);
    }
  }

  isMember(client: number): boolean {
    return this.#isMember[client] === 1;
  }

  get members(): number {
    return this.#members;
  }

  get away(): number {
    return this.#away.count;
  }

  get drops(): number {
    return this.#counts.drops;
  }

  tick(): void {
    const nowNs = this.context.nowNs();
    for (let client = 0; client < this.#isMember.length; client++) {
      if (this.#drops.take(client, nowNs)) this.#drop(client, nowNs);
    }
    this.#away.tick();
    this.#tickedNs = nowNs;
  }

  #drop(client: number, nowNs: number): void {
    if (this.#away.has(client)) {
      this.#counts.skipped++;
      return;
    }
    const { dropMode, offlineMs } = this.context.options;
    this.#counts.drops++;
    this.#timeline?.count('dropped', nowNs);
    this.#times.left(client, nowNs, this.#tickedNs);
    this.#away.drop(client, dropMode, nowNs + offlineMs * 1e6);
    this.#noteEmpty(nowNs);
  }

  #noteEmpty(nowNs: number): void {
    if (this.away === this.#members) this.#emptyNs = nowNs;
  }

  opened(client: number, _tcpNs: number, upgradeNs: number): void {
    this.#away.opened(client);
    this.#times.returning(client, this.#away.arrivedAtNs(client) - upgradeNs);
  }

  ready(client: number): void {
    this.#away.ready(client);
  }

  subscribed(client: number): void {
    if (!this.#away.subscribed(client)) return;
    const atNs = this.#away.arrivedAtNs(client);
    this.#counts.back++;
    this.#times.back(client, atNs, this.#away.leastNs(client), this.#away.absenceLeastNs(client));
    this.#timeline?.count('back', atNs);
  }

  closed(client: number, cause: Cause): void {
    const nowNs = this.context.nowNs();
    if (this.#away.closed(client, cause)) this.#cut(client, cause, nowNs);
    const giveUpNs = this.#emptyNs + this.context.options.drainMs * 1e6;
    if (this.#away.failing === this.#members && nowNs >= giveUpNs) this.#stranded?.(cause);
  }

  /** Counts a cut, which is not a drop: only drops have an offline window. */
  #cut(client: number, cause: Cause, nowNs: number): void {
    this.#counts.cuts++;
    this.#cuts[cause] = (this.#cuts[cause] ?? 0) + 1;
    this.#timeline?.count(`cut ${cause}`, nowNs);
    this.presence.left(client, nowNs);
    this.#noteEmpty(nowNs);
  }

  resumed(client: number, wasRecovered: boolean): void {
    this.#away.resumed(client, wasRecovered);
  }

  report() {
    const { counts, failures, notBack, samples } = this.#away.report();
    return {
      counts: { ...this.#counts, ...counts, notDue: this.#drops.left },
      causes: { close: this.#cuts, reconnect: failures, notBack },
      samples: { ...this.#times.report(), ...samples },
    };
  }
}

/** Holds the drops still to come, of each client of a worker. */
export class DropQueue {
  readonly #later: number[][];
  readonly #nextNs: Float64Array;

  constructor(clients: number) {
    this.#later = Array.from({ length: clients }, () => []);
    this.#nextNs = new Float64Array(clients).fill(never);
  }

  set(client: number, instantsNs: readonly number[]): void {
    const [next = never, ...later] = instantsNs;
    this.#nextNs[client] = next;
    this.#later[client] = later;
  }

  /** Returns true if a drop of the client is due, and removes that drop. */
  take(client: number, nowNs: number): boolean {
    if ((this.#nextNs[client] as number) > nowNs) return false;
    this.#nextNs[client] = this.#later[client]?.shift() ?? never;
    return true;
  }

  get left(): number {
    const next = this.#nextNs.reduce((sum, atNs) => sum + (atNs === never ? 0 : 1), 0);
    return this.#later.reduce((sum, instants) => sum + instants.length, next);
  }
}
