import type { Recorder } from '../../measure/samples/recorder.js';
import type { Cause, ClientEvents, Clients } from '../../protocols/protocol.js';
import { dueAtNs, dueCount } from '../pace.js';
import type { AudienceContext } from '../scenario.js';
import type { ConnectionHooks } from './connection-events.js';
import { arrivedAtNs, finished, recordersOf } from './delivery-times.js';
import { mostPending, type RampPlan, Timeline } from './timeline.js';

/** Interval at which the schedule is checked, in milliseconds. A due client starts up to that much late. */
const tickMs = 1;
/** Interval at which clients without a confirmation are searched. Each search checks all clients. */
const sweepNs = 50e6;
const timed = ['tcp', 'connect', 'subscribe', 'handshake', 'handshakeFromIntended', 'connectLag'] as const;
const atLeast = ['tcpAtLeast', 'connectAtLeast', 'subscribeAtLeast', 'handshakeAtLeast'] as const;
const clientState = { idle: 0, opening: 1, open: 2, subscribed: 3, ended: 4 } as const;

/** Handles answers for roles that send nothing and so receive none. */
const ignore = (): void => undefined;

type ConnectionsContext = Omit<AudienceContext<unknown>, 'options'>;

/**
 * Holds the connections of one worker. They are opened evenly, each subscription is proven, and every end is counted by
 * cause and second.
 */
export class Connections implements ClientEvents {
  /** The role's own functions, so that nothing forwards a batch. */
  readonly deliveries: ClientEvents['deliveries'];
  readonly acknowledgements: NonNullable<ClientEvents['acknowledgements']>;
  readonly sends: NonNullable<ClientEvents['sends']>;
  readonly #context: ConnectionsContext;
  readonly #hooks: ConnectionHooks;
  readonly #state: Uint8Array;
  /** Instants when the engine began to connect the client, and when that opened or then asked for its subscription. */
  readonly #startedNs: Float64Array;
  readonly #sinceNs: Float64Array;
  /** Time of the handshake until then that surely was the target's. */
  readonly #leastNs: Float64Array;
  readonly #intendedNs: Float64Array;
  readonly #metrics: Record<(typeof timed)[number] | (typeof atLeast)[number], Recorder>;
  readonly #causes: { connect: Record<string, number>; close: Record<string, number> } = { connect: {}, close: {} };
  /** Events per second since the first ramp began. */
  timeline: Timeline;
  #clients: Clients | undefined;
  #started = 0;
  #opened = 0;
  #open = 0;
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

  constructor(context: ConnectionsContext, hooks: ConnectionHooks) {
    this.#context = context;
    this.#hooks = hooks;
    this.deliveries = hooks.deliveries;
    this.acknowledgements = hooks.acknowledgements ?? ignore;
    this.sends = hooks.sends ?? ignore;
    this.#state = new Uint8Array(context.clientCount);
    this.#startedNs = new Float64Array(context.clientCount);
    this.#sinceNs = new Float64Array(context.clientCount);
    this.#leastNs = new Float64Array(context.clientCount);
    this.#intendedNs = new Float64Array(context.clientCount);
    this.#metrics = recordersOf(() => context.recorder(), ...timed, ...atLeast);
    this.timeline = new Timeline(context.nowNs());
  }

  /** Opens the clients of the plan. Resolves when each is subscribed or ended, on a stall, or on abort. */
  async ramp(startAtNs: number, plan: RampPlan, signal: AbortSignal): Promise<void> {
    const { clientCount, totalClients, load } = this.#context;
    const { upTo = clientCount } = plan;
    const before = this.#started;
    if (this.#clients === undefined) {
      this.timeline = new Timeline(startAtNs);
      this.#clients = await this.#context.openClients(this);
    }
    // Loading a client library takes time. The ramp begins after it, or its first tick would be a burst.
    const rampAtNs = Math.max(startAtNs, this.#context.nowNs());
    const rate = (plan.ratePerSecond * clientCount) / totalClients;
    const { maxPending = mostPending(this.#context), stallMs = Number.POSITIVE_INFINITY } = plan;
    this.#readyAtNs = rampAtNs;
    this.#intended = (client) => rampAtNs + dueAtNs(client - before, rate);
    this.#maxPending = maxPending;
    this.#due = (nowNs) =>
      Math.min(before + dueCount(nowNs - rampAtNs, upTo - before, rate), this.#started + maxPending - this.#pending);
    let sweepAtNs = rampAtNs;
    while (!signal.aborted && this.#opened + this.#failed < upTo) {
      const nowNs = this.#context.nowNs();
      if (this.#pending > 0 && nowNs - this.#readyAtNs > stallMs * 1e6) break;
      this.#start(nowNs);
      if (nowNs >= sweepAtNs) {
        sweepAtNs = nowNs + sweepNs;
        this.#lookAtUnconfirmed(nowNs - load.subscribeTimeoutMs * 1e6);
      }
      await this.#context.sleep(tickMs, signal);
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
      this.#state[this.#started] = clientState.opening;
      if (this.#started === 0) this.#firstNs = nowNs;
      this.#lastNs = nowNs;
      this.#startedNs[this.#started] = nowNs;
      this.#intendedNs[this.#started] = this.#intended(this.#started);
      this.#clients?.open(this.#started);
    }
  }

  /** Starts the next client at once if the bound held it back. No failure while opening leads back here. */
  #startHeldBack(nowNs: number): void {
    if (this.#pending === this.#maxPending - 1) this.#start(nowNs);
  }

  #lookAtUnconfirmed(openedBeforeNs: number): void {
    for (let client = 0; client < this.#started; client++) {
      if (this.#state[client] !== clientState.open || this.#clients === undefined) continue;
      if ((this.#sinceNs[client] as number) < openedBeforeNs) {
        this.closed(client, 'subscribe-timeout');
        this.#clients.drop(client, 'reset');
      } else this.#hooks.proveAgain?.(this.#clients, client);
    }
  }

  /** Counts clients still on their way as failed if the ramp ends by a stall, or by the rig. */
  #abandonPending(isOurs: boolean): void {
    for (let client = 0; client < this.#started; client++) {
      if (this.#state[client] !== clientState.opening && this.#state[client] !== clientState.open) continue;
      const timeout = this.#state[client] === clientState.open ? 'subscribe-timeout' : 'connect-timeout';
      this.closed(client, isOurs ? 'ours' : timeout);
      this.#clients?.drop(client, 'reset');
    }
  }

  opened(client: number, tcpNs: number, upgradeNs: number, tcpLeastNs: number): void {
    if (this.#state[client] !== clientState.opening) return;
    this.#state[client] = clientState.open;
    // An engine begins some time after it was asked to.
    this.#startedNs[client] = arrivedAtNs(this.#clients, client, this.#context) - upgradeNs;
    this.#recordLag(client);
    this.#waitsSince(client);
    if (!Number.isNaN(tcpNs)) {
      this.#metrics.tcp.record(tcpNs / 1000);
      this.#metrics.tcpAtLeast.record(tcpLeastNs / 1000);
    }
    this.#metrics.connect.record(upgradeNs / 1000);
    this.#metrics.connectAtLeast.record((this.#leastNs[client] as number) / 1000);
  }

  /** Records the lag of a client that has stopped opening. */
  #recordLag(client: number): void {
    const [startedNs, intendedNs] = [this.#startedNs[client], this.#intendedNs[client]] as [number, number];
    this.#metrics.connectLag.record(Math.max(0, startedNs - intendedNs) / 1000);
  }

  #waitsSince(client: number): void {
    this.#sinceNs[client] = this.#context.nowNs();
    this.#leastNs[client] = this.#clients?.leastNs(client) ?? 0;
  }

  ready(client: number): void {
    if (this.#state[client] !== clientState.open) return;
    this.#waitsSince(client);
    if (this.#clients === undefined) return;
    if (this.#hooks.prove) this.#hooks.prove(this.#clients, client);
    else this.#clients.subscribe(client, this.#context.stream);
  }

  subscribed(client: number): void {
    if (this.#state[client] !== clientState.open) return;
    const nowNs = this.#context.nowNs();
    this.#state[client] = clientState.subscribed;
    this.#opened++;
    this.#open++;
    this.#readyAtNs = nowNs;
    // Stamps of the kernel are from another clock, which is matched within some microseconds.
    const arrivedNs = Math.max(this.#sinceNs[client] as number, arrivedAtNs(this.#clients, client, this.#context));
    this.#metrics.subscribe.record((arrivedNs - (this.#sinceNs[client] as number)) / 1000);
    this.#metrics.handshake.record((arrivedNs - (this.#startedNs[client] as number)) / 1000);
    this.#metrics.handshakeFromIntended.record((arrivedNs - (this.#intendedNs[client] as number)) / 1000);
    const leastNs = this.#clients?.leastNs(client) ?? 0;
    this.#metrics.subscribeAtLeast.record((leastNs - (this.#leastNs[client] as number)) / 1000);
    this.#metrics.handshakeAtLeast.record(leastNs / 1000);
    this.timeline.count('opened', nowNs);
    this.#clients?.settled?.(client);
    this.#hooks.subscribed?.(client);
    this.#startHeldBack(nowNs);
  }

  closed(client: number, cause: Cause): void {
    const state = this.#state[client];
    if (state === clientState.ended) return;
    if (state === clientState.opening) this.#recordLag(client);
    this.#state[client] = clientState.ended;
    const wasSubscribed = state === clientState.subscribed;
    const causes = wasSubscribed ? this.#causes.close : this.#causes.connect;
    causes[cause] = (causes[cause] ?? 0) + 1;
    const nowNs = this.#context.nowNs();
    this.timeline.count(wasSubscribed ? `closed ${cause}` : `failed ${cause}`, nowNs);
    if (!wasSubscribed) {
      this.#failed++;
      this.#clients?.settled?.(client, cause);
      this.#startHeldBack(nowNs);
      return;
    }
    this.#open--;
    this.#lost++;
    this.#hooks.lost?.(client, cause);
  }

  resumed(): void {
    // No scenario of plain connections opens a client again.
  }

  ponged(client: number): void {
    this.#hooks.ponged?.(client);
  }

  get clients(): Clients | undefined {
    return this.#clients;
  }

  get open(): number {
    return this.#open;
  }

  isOpen(client: number): boolean {
    return this.#state[client] === clientState.subscribed;
  }

  progress(): Record<string, number> {
    return { started: this.#started, subscribers: this.#open, failed: this.#failed, lost: this.#lost };
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
    return {
      counts: {
        asked: this.#context.clientCount,
        started: this.#started,
        opened: this.#opened,
        // Counts the states, not the counter that goes up and down, so that the ledger can find a mismatch.
        open: this.#state.reduce((sum, state) => sum + (state === clientState.subscribed ? 1 : 0), 0),
        failed: this.#failed,
      },
      causes: this.#causes,
      timeline: this.timeline.report(),
      get samples() {
        return finished(metrics);
      },
      /** Samples for scenarios that connect before their measurement. */
      get ramp() {
        const { connect, connectAtLeast, subscribe, subscribeAtLeast } = metrics;
        return finished({ connect, connectAtLeast, subscribe, subscribeAtLeast });
      },
    };
  }

  dispose(): void {
    this.#clients?.dispose();
  }
}
