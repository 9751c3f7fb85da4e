import type { TargetSlots } from '../../measure/paired/slots.js';
import type { Recorder } from '../../measure/samples/recorder.js';
import type { Cause, TlsLeg } from '../../protocols/protocol.js';
import { finished, recordersOf } from '../books/times.js';
import { dueAtNs, dueCount } from '../pace.js';
import { type ClientPlan, clientState, type Roster } from './roster.js';

/** Describes the pace of a ramp and its end. */
export interface RampPlan {
  /** Clients per second of all workers and shards together. */
  ratePerSecond: number;
  /** Largest number of clients of this worker that are on their way at once; without it as many as the rate brings. */
  maxPending?: number;
  /** Ends the ramp if no client becomes ready for this long; without it each client's own timeouts end it. */
  stallMs?: number;
  /** Ends the ramp at this many clients opened or failed in all ramps so far; without it at all clients. */
  upTo?: number;
}

export interface RampHooks {
  subscribed?(client: number): void;
  /** Called for a client that was subscribed and is cut. */
  lost?(client: number, cause: Cause): void;
}

/** Largest number of clients on their way in a comparison. There all targets ramp at once, as fast as they can. */
const pendingInSlots = 256;

export function mostPending({ slots }: { slots?: TargetSlots | undefined }): number {
  return slots ? pendingInSlots : Number.POSITIVE_INFINITY;
}

/** Interval at which the schedule is checked, in milliseconds. A due client starts up to that much late. */
const tickMs = 1;
/** Interval at which clients without a confirmation are searched. Each search checks all clients. */
const sweepNs = 50e6;
const timed = ['tcp', 'connect', 'subscribe', 'handshake', 'handshakeFromIntended', 'connectLag'] as const;
const atLeast = ['tcpAtLeast', 'connectAtLeast', 'subscribeAtLeast', 'handshakeAtLeast'] as const;

/** The plan of fixed clients: opened evenly, each subscription proven, every end counted by cause and second. */
export class Ramp implements ClientPlan {
  readonly returns = false;
  readonly toCome = 0;
  readonly #roster: Roster;
  readonly #hooks: RampHooks;
  readonly #intendedNs: Float64Array;
  readonly #metrics: Record<(typeof timed)[number] | (typeof atLeast)[number], Recorder>;
  /** Set with the first TLS handshake. */
  #tls: Record<'tls' | 'tlsAtLeast', Recorder> | undefined;
  readonly #causes: { connect: Record<string, number>; close: Record<string, number> } = { connect: {}, close: {} };
  #started = 0;
  #opened = 0;
  #failed = 0;
  #lost = 0;
  #readyAtNs = 0;
  /** Instants when the first and the last client were started. */
  #firstNs = 0;
  #lastNs = 0;
  /** Returns how many clients may have been started by then; set only during the ramp. */
  #due: ((nowNs: number) => number) | undefined;
  #maxPending = 0;
  #intended: (client: number) => number = () => 0;

  constructor(roster: Roster, hooks: RampHooks = {}) {
    const { clientCount, recorder } = roster.context;
    this.#roster = roster;
    this.#hooks = hooks;
    this.#intendedNs = new Float64Array(clientCount);
    this.#metrics = recordersOf(recorder, ...timed, ...atLeast);
    for (let client = 0; client < clientCount; client++) roster.follow(client, this);
  }

  /** Opens the clients of the plan. Resolves when each is subscribed or ended, on a stall, or on abort. */
  async run(startAtNs: number, plan: RampPlan, signal: AbortSignal): Promise<void> {
    const { context } = this.#roster;
    const { clientCount, totalClients } = context;
    const { upTo = clientCount } = plan;
    const before = this.#started;
    await this.#roster.begin(startAtNs);
    // Loading a client library takes time. The ramp begins after it, or its first tick would be a burst.
    const rampAtNs = Math.max(startAtNs, context.nowNs());
    const rate = (plan.ratePerSecond * clientCount) / totalClients;
    const { maxPending = mostPending(context), stallMs = Number.POSITIVE_INFINITY } = plan;
    this.#readyAtNs = rampAtNs;
    this.#intended = (client) => rampAtNs + dueAtNs(client - before, rate);
    this.#maxPending = maxPending;
    this.#due = (nowNs) =>
      Math.min(before + dueCount(nowNs - rampAtNs, upTo - before, rate), this.#started + maxPending - this.#pending);
    let sweepAtNs = rampAtNs;
    while (!signal.aborted && this.#opened + this.#failed < upTo) {
      const nowNs = context.nowNs();
      if (this.#pending > 0 && nowNs - this.#readyAtNs > stallMs * 1e6) break;
      this.#start(nowNs);
      if (nowNs >= sweepAtNs) {
        sweepAtNs = nowNs + sweepNs;
        this.#roster.sweep();
      }
      await context.sleep(tickMs, signal);
    }
    this.#due = undefined;
    this.#abandonPending(signal.aborted);
  }

  get #pending(): number {
    return this.#started - this.#opened - this.#failed;
  }

  #start(nowNs: number): void {
    if (this.#due === undefined) return;
    // A wait with nothing under way is not a stall of the target.
    if (this.#pending === 0) this.#readyAtNs = nowNs;
    for (const until = this.#due(nowNs); this.#started < until; this.#started++) {
      if (this.#started === 0) this.#firstNs = nowNs;
      this.#lastNs = nowNs;
      this.#intendedNs[this.#started] = this.#intended(this.#started);
      this.#roster.open(this.#started);
    }
  }

  /** Starts the next client at once if the bound held it back. No failure while opening leads back here. */
  #startHeldBack(nowNs: number): void {
    if (this.#pending === this.#maxPending - 1) this.#start(nowNs);
  }

  /** Counts clients still on their way as failed if the ramp ends by a stall, or by the rig. */
  #abandonPending(isOurs: boolean): void {
    for (let client = 0; client < this.#started; client++) {
      if (!this.#roster.isOnItsWay(client)) continue;
      const timeout = this.#roster.is(client, clientState.open) ? 'subscribe-timeout' : 'connect-timeout';
      this.#roster.giveUpOn(client, isOurs ? 'ours' : timeout);
    }
  }

  opened(client: number, upgradeNs: number, tcpNs: number, tcpLeastNs: number, tls?: TlsLeg): void {
    this.#recordLag(client);
    if (!Number.isNaN(tcpNs)) {
      this.#metrics.tcp.record(tcpNs / 1000);
      this.#metrics.tcpAtLeast.record(tcpLeastNs / 1000);
    }
    if (tls !== undefined) {
      this.#tls ??= recordersOf(this.#roster.context.recorder, 'tls', 'tlsAtLeast');
      this.#tls.tls.record(tls.tookNs / 1000);
      this.#tls.tlsAtLeast.record(tls.leastNs / 1000);
    }
    this.#metrics.connect.record(upgradeNs / 1000);
    this.#metrics.connectAtLeast.record((this.#roster.leastSinceNs[client] as number) / 1000);
  }

  /** Records the lag of a client that has stopped opening. */
  #recordLag(client: number): void {
    const startedNs = this.#roster.startedNs[client] as number;
    this.#metrics.connectLag.record(Math.max(0, startedNs - (this.#intendedNs[client] as number)) / 1000);
  }

  subscribed(client: number): void {
    const { startedNs, sinceNs, leastSinceNs, context, clients, timeline } = this.#roster;
    const nowNs = context.nowNs();
    this.#opened++;
    this.#readyAtNs = nowNs;
    // Stamps of the kernel are from another clock, which is matched within some microseconds.
    const arrivedNs = Math.max(sinceNs[client] as number, this.#roster.arrivedAtNs(client));
    this.#metrics.subscribe.record((arrivedNs - (sinceNs[client] as number)) / 1000);
    this.#metrics.handshake.record((arrivedNs - (startedNs[client] as number)) / 1000);
    this.#metrics.handshakeFromIntended.record((arrivedNs - (this.#intendedNs[client] as number)) / 1000);
    const leastNs = this.#roster.leastNs(client);
    this.#metrics.subscribeAtLeast.record((leastNs - (leastSinceNs[client] as number)) / 1000);
    this.#metrics.handshakeAtLeast.record(leastNs / 1000);
    timeline.count('opened', nowNs);
    clients?.settled?.(client);
    this.#hooks.subscribed?.(client);
    this.#startHeldBack(nowNs);
  }

  failed(client: number, cause: Cause, wasOpen: boolean): void {
    if (!wasOpen) this.#recordLag(client);
    const nowNs = this.#count('connect', 'failed', cause);
    this.#failed++;
    this.#roster.clients?.settled?.(client, cause);
    this.#startHeldBack(nowNs);
  }

  cut(client: number, cause: Cause): void {
    this.#count('close', 'closed', cause);
    this.#lost++;
    this.#hooks.lost?.(client, cause);
  }

  #count(occasion: 'connect' | 'close', word: string, cause: Cause): number {
    const causes = this.#causes[occasion];
    causes[cause] = (causes[cause] ?? 0) + 1;
    const nowNs = this.#roster.context.nowNs();
    this.#roster.timeline.count(`${word} ${cause}`, nowNs);
    return nowNs;
  }

  progress(): Record<string, number> {
    return { started: this.#started, subscribers: this.#roster.there, failed: this.#failed, lost: this.#lost };
  }

  /** Returns arrivals per second, as scheduled and as started. Those of all workers and shards add up. */
  arrivalRates(): Record<string, number> {
    const last = this.#started - 1;
    // Arrivals that were all made in one turn have no rate.
    if (last < 1 || this.#lastNs === this.#firstNs) return {};
    const [firstNs, lastNs] = [this.#intendedNs[0], this.#intendedNs[last]] as [number, number];
    return {
      offeredPerSecond: (last * 1e9) / (lastNs - firstNs),
      achievedPerSecond: (last * 1e9) / (this.#lastNs - this.#firstNs),
    };
  }

  /** Samples are sorted when they are read: not every scenario reports all of them. */
  report() {
    const metrics = this.#metrics;
    const ofTls = this.#tls;
    return {
      counts: {
        asked: this.#roster.context.clientCount,
        started: this.#started,
        opened: this.#opened,
        open: this.#roster.count(this, clientState.subscribed),
        failed: this.#failed,
      },
      causes: this.#causes,
      timeline: this.#roster.timeline.report(),
      get samples() {
        return { ...finished(metrics), ...(ofTls && finished(ofTls)) };
      },
      /** Samples for scenarios that connect before their measurement. */
      get ramp() {
        const { connect, connectAtLeast, subscribe, subscribeAtLeast } = metrics;
        return finished({ connect, connectAtLeast, subscribe, subscribeAtLeast });
      },
    };
  }
}
