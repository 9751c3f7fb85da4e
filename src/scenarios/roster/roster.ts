import type {
  Cause,
  ClientEvents,
  Clients,
  DeliveryBatch,
  DropMode,
  SendBatch,
  TlsLeg,
} from '../../protocols/protocol.js';
import { Timeline } from '../books/times.js';
import type { AudienceContext } from '../scenario.js';

/**
 *     planned --> opening --> open --> subscribed --> leaving --> left
 *                  ^   |       |         |              |
 *                  |   +-------+         +--------------+--> cut
 *                  |           +--> failed, unready     |
 *                  +-- away <--+------------------------+
 *
 * A plan decides if a client that fails or is cut is `away` or has ended. All states from `left` on are ends.
 */
export const clientState = {
  ...{ planned: 0, opening: 1, open: 2, subscribed: 3, leaving: 4, away: 5 },
  ...{ left: 6, unready: 7, failed: 8, cut: 9 },
} as const;

type ClientState = (typeof clientState)[keyof typeof clientState];

/** Decides when clients open and leave, and counts how they end. It is called once a client's state has changed. */
export interface ClientPlan {
  readonly returns: boolean;
  readonly toCome: number;
  opened?(client: number, upgradeNs: number, tcpNs: number, tcpLeastNs: number, tls?: TlsLeg): void;
  subscribed(client: number): void;
  failed(client: number, cause: Cause, wasOpen: boolean): void;
  cut(client: number, cause: Cause): void;
  resumed?(client: number, wasRecovered: boolean): void;
}

/** Handles the events that concern no plan. Batches are passed to these functions themselves. */
export interface RosterHooks {
  /** Called for a ready client instead of subscribing it to the stream of the run. */
  prove?(clients: Clients, client: number): void;
  /** Called now and then for a client that is open and not proven. */
  proveAgain?(clients: Clients, client: number): void;
  confirmed?(client: number, stream: string): void;
  ponged?(client: number): void;
  deliveries(batch: DeliveryBatch): void;
  acknowledgements?(batch: DeliveryBatch): void;
  sends?(batch: SendBatch): void;
}

const ignore = (): void => undefined;

type RosterContext = Omit<AudienceContext<unknown>, 'options'>;

/** Holds where each client of one worker is. */
export class Roster implements ClientEvents {
  /** The scenario's own functions, so that nothing forwards a batch. */
  readonly deliveries: ClientEvents['deliveries'];
  readonly acknowledgements: NonNullable<ClientEvents['acknowledgements']>;
  readonly sends: NonNullable<ClientEvents['sends']>;
  /** Instants when the engine began to connect the client, and when that opened or then asked for its subscription. */
  readonly startedNs: Float64Array;
  readonly sinceNs: Float64Array;
  /** Time of the attempt until `sinceNs` that surely was the target's. */
  readonly leastSinceNs: Float64Array;
  timeline: Timeline;
  #clients: Clients | undefined;
  readonly #state: Uint8Array;
  readonly #planOf: ClientPlan[];
  readonly #plans = new Set<ClientPlan>();
  /** Streams of each client that await their confirmation: the last one completes it. */
  readonly #unconfirmed: Uint16Array;
  #there = 0;
  #isClosed = false;
  #hasGivenUp = false;

  constructor(
    readonly context: RosterContext,
    private readonly hooks: RosterHooks,
    private readonly tickMs = 5,
  ) {
    const { clientCount } = context;
    this.deliveries = hooks.deliveries;
    this.acknowledgements = hooks.acknowledgements ?? ignore;
    this.sends = hooks.sends ?? ignore;
    this.#state = new Uint8Array(clientCount);
    this.#planOf = new Array<ClientPlan>(clientCount);
    this.#unconfirmed = new Uint16Array(clientCount);
    this.startedNs = new Float64Array(clientCount);
    this.sinceNs = new Float64Array(clientCount);
    this.leastSinceNs = new Float64Array(clientCount);
    this.timeline = new Timeline(context.nowNs());
  }

  async begin(startAtNs: number): Promise<void> {
    if (this.#clients !== undefined) return;
    this.timeline = new Timeline(startAtNs);
    this.#clients = await this.context.openClients(this);
  }

  get clients(): Clients | undefined {
    return this.#clients;
  }

  follow(client: number, plan: ClientPlan): void {
    this.#planOf[client] = plan;
    this.#plans.add(plan);
  }

  follows(client: number, plan: ClientPlan): boolean {
    return this.#planOf[client] === plan;
  }

  get there(): number {
    return this.#there;
  }

  is(client: number, state: ClientState): boolean {
    return this.#state[client] === state;
  }

  /** Returns true if the client is there and its time is not over. */
  isSubscribed(client: number): boolean {
    return this.#state[client] === clientState.subscribed;
  }

  isThere(client: number): boolean {
    return this.isSubscribed(client) || this.#state[client] === clientState.leaving;
  }

  isOnItsWay(client: number): boolean {
    return this.#state[client] === clientState.opening || this.#state[client] === clientState.open;
  }

  /** Counts the clients of a plan in these states. Reads the table, so that the ledger can find a mismatch. */
  count(plan: ClientPlan, ...states: readonly number[]): number {
    return this.#state.reduce((sum, at, client) => {
      return sum + (states.includes(at) && this.#planOf[client] === plan ? 1 : 0);
    }, 0);
  }

  move(client: number, state: ClientState): void {
    const wasThere = this.isThere(client);
    this.#state[client] = state;
    if (this.isThere(client) !== wasThere) this.#there += wasThere ? -1 : 1;
  }

  open(client: number): void {
    this.move(client, clientState.opening);
    this.startedNs[client] = this.context.nowNs();
    this.#clients?.open(client);
  }

  /** Moves a client before it ends its connection or attempt, so that this close is not counted as the target's. */
  drop(client: number, mode: DropMode, state: ClientState): void {
    this.move(client, state);
    this.#clients?.drop(client, mode);
  }

  giveUpOn(client: number, cause: Cause): void {
    this.closed(client, cause);
    this.#clients?.drop(client, 'reset');
  }

  /** Ends clients from `first` on that are open and not confirmed for too long. The others are proven again. */
  sweep(first = 0): void {
    const openedBeforeNs = this.context.nowNs() - this.context.load.subscribeTimeoutMs * 1e6;
    for (let client = first; client < this.#state.length; client++) {
      if (this.#state[client] !== clientState.open || this.#clients === undefined) continue;
      if ((this.sinceNs[client] as number) <= openedBeforeNs) this.giveUpOn(client, 'subscribe-timeout');
      else this.hooks.proveAgain?.(this.#clients, client);
    }
  }

  opened(client: number, tcpNs: number, upgradeNs: number, tcpLeastNs: number, tls?: TlsLeg): void {
    if (this.#isClosed || this.#state[client] !== clientState.opening) return;
    this.move(client, clientState.open);
    // An engine begins some time after it was asked to.
    this.startedNs[client] = this.arrivedAtNs(client) - upgradeNs;
    this.#waitsSince(client);
    this.#planOf[client]?.opened?.(client, upgradeNs, tcpNs, tcpLeastNs, tls);
  }

  #waitsSince(client: number): void {
    this.sinceNs[client] = this.context.nowNs();
    this.leastSinceNs[client] = this.leastNs(client);
  }

  ready(client: number): void {
    if (this.#isClosed || this.#state[client] !== clientState.open || this.#clients === undefined) return;
    this.#waitsSince(client);
    if (this.hooks.prove) this.hooks.prove(this.#clients, client);
    else this.#subscribe(this.#clients, client);
  }

  #subscribe(clients: Clients, client: number): void {
    const streams = this.context.streams?.namesOf(client) ?? [this.context.stream];
    this.#unconfirmed[client] = streams.length;
    for (const stream of streams) clients.subscribe(client, stream);
  }

  subscribed(client: number, stream = this.context.stream): void {
    if (this.#isClosed) return;
    if (this.isThere(client)) this.hooks.confirmed?.(client, stream);
    if (this.#state[client] !== clientState.open) return;
    if ((this.#unconfirmed[client] as number) > 1) return void this.#unconfirmed[client]!--;
    this.move(client, clientState.subscribed);
    this.#planOf[client]?.subscribed(client);
  }

  closed(client: number, cause: Cause): void {
    const plan = this.#planOf[client];
    if (this.#isClosed || plan === undefined) return;
    if (this.isThere(client)) {
      this.move(client, plan.returns ? clientState.away : clientState.cut);
      plan.cut(client, cause);
    } else if (this.isOnItsWay(client)) {
      const wasOpen = this.#state[client] === clientState.open;
      this.move(client, plan.returns ? clientState.away : clientState.failed);
      plan.failed(client, cause, wasOpen);
    }
  }

  resumed(client: number, wasRecovered: boolean): void {
    if (!this.#isClosed) this.#planOf[client]?.resumed?.(client, wasRecovered);
  }

  ponged(client: number): void {
    this.hooks.ponged?.(client);
  }

  /** Returns when the answer of the client's current event arrived, or now if its library does not show that. */
  arrivedAtNs(client: number): number {
    return this.#clients?.arrivedAtNs?.(client) ?? this.context.nowNs();
  }

  leastNs(client: number): number {
    return this.#clients?.leastNs(client) ?? 0;
  }

  /** Resolves once `isOver` returns true, or on abort. Until then calls `tick` every few milliseconds. */
  async waitUntil(isOver: (nowNs: number) => boolean, signal: AbortSignal, tick?: () => void): Promise<void> {
    const { nowNs, sleep } = this.context;
    while (!signal.aborted && !isOver(nowNs())) {
      tick?.();
      await sleep(this.tickMs, signal);
    }
  }

  get #left(): number {
    let toCome = 0;
    for (const plan of this.#plans) toCome += plan.toCome;
    return this.#there + toCome;
  }

  giveUp(evidence: string): void {
    if (!this.#hasGivenUp) this.context.giveUp({ code: 'targetGone', evidence });
    this.#hasGivenUp = true;
  }

  hasClients(purpose: string): boolean {
    if (this.#left === 0) this.giveUp(`a worker has no client left to ${purpose}`);
    return this.#left > 0;
  }

  lostOne(cause: string): void {
    if (this.#left === 0) this.giveUp(`every client of a worker was cut, the last by ${cause}`);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Takes no further event, so that what is reported stays as it is. */
  close(): void {
    this.#isClosed = true;
  }

  dispose(): void {
    this.#clients?.dispose();
  }
}
