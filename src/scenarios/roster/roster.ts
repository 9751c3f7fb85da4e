import type {
  Cause,
  ClientEvents,
  Clients,
  DeliveryBatch,
  DropMode,
  SendBatch,
  TlsLeg,
} from '../../protocols/protocol.js';
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

export type Roster = ReturnType<typeof createRoster>;

/** Holds where each client of one worker is, and calls the plan that a client follows. */
export function createRoster(context: RosterContext, hooks: RosterHooks, tickMs = 5) {
  const { clientCount, nowNs } = context;
  /** Instants when the engine began to connect the client, and when that opened or then asked for its subscription. */
  const startedNs = new Float64Array(clientCount);
  const sinceNs = new Float64Array(clientCount);
  /** Time of the attempt until `sinceNs` that surely was the target's. */
  const leastSinceNs = new Float64Array(clientCount);
  const stateOf = new Uint8Array(clientCount);
  const planOf = new Array<ClientPlan | undefined>(clientCount);
  const plans = new Set<ClientPlan>();
  /** Streams of each client that await their confirmation: the last one completes it. */
  const unconfirmed = new Uint16Array(clientCount);
  let timeline = new Timeline(nowNs());
  let clients: Clients | undefined;
  let there = 0;
  let isClosed = false;
  let hasGivenUp = false;

  const is = (client: number, state: ClientState): boolean => stateOf[client] === state;
  /** Returns true if the client is there and its time is not over. */
  const isSubscribed = (client: number): boolean => is(client, clientState.subscribed);
  const isThere = (client: number): boolean => isSubscribed(client) || is(client, clientState.leaving);
  /** Returns true if an attempt of the client is under way. */
  const isOnItsWay = (client: number): boolean => is(client, clientState.opening) || is(client, clientState.open);

  const move = (client: number, state: ClientState): void => {
    const wasThere = isThere(client);
    stateOf[client] = state;
    if (isThere(client) !== wasThere) there += wasThere ? -1 : 1;
  };

  /** Returns when the answer of the client's current event arrived, or now if its library does not show that. */
  const arrivedAtNs = (client: number): number => clients?.arrivedAtNs?.(client) ?? nowNs();
  const leastNs = (client: number): number => clients?.leastNs(client) ?? 0;

  const waitsSinceNow = (client: number): void => {
    sinceNs[client] = nowNs();
    leastSinceNs[client] = leastNs(client);
  };

  const closed = (client: number, cause: Cause): void => {
    const plan = planOf[client];
    if (isClosed || plan === undefined) return;
    if (isThere(client)) {
      move(client, plan.returns ? clientState.away : clientState.cut);
      plan.cut(client, cause);
    } else if (isOnItsWay(client)) {
      const wasOpen = is(client, clientState.open);
      move(client, plan.returns ? clientState.away : clientState.failed);
      plan.failed(client, cause, wasOpen);
    }
  };

  const subscribed = (client: number, stream = context.stream): void => {
    if (isClosed) return;
    if (isThere(client)) hooks.confirmed?.(client, stream);
    if (!is(client, clientState.open)) return;
    if ((unconfirmed[client] as number) > 1) return void unconfirmed[client]!--;
    move(client, clientState.subscribed);
    planOf[client]?.subscribed(client);
  };

  const events: ClientEvents = {
    // The scenario's own functions, so that nothing forwards a batch.
    deliveries: hooks.deliveries,
    acknowledgements: hooks.acknowledgements ?? ignore,
    sends: hooks.sends ?? ignore,
    opened(client, tcpNs, upgradeNs, tcpLeastNs, tls) {
      if (isClosed || !is(client, clientState.opening)) return;
      move(client, clientState.open);
      // An engine begins some time after it was asked to.
      startedNs[client] = arrivedAtNs(client) - upgradeNs;
      waitsSinceNow(client);
      planOf[client]?.opened?.(client, upgradeNs, tcpNs, tcpLeastNs, tls);
    },
    ready(client) {
      if (isClosed || !is(client, clientState.open) || clients === undefined) return;
      waitsSinceNow(client);
      if (hooks.prove) {
        hooks.prove(clients, client);
        return;
      }
      const streams = context.streams?.namesOf(client) ?? [context.stream];
      unconfirmed[client] = streams.length;
      for (const stream of streams) clients.subscribe(client, stream);
    },
    ...{ subscribed, closed },
    resumed(client, wasRecovered) {
      if (!isClosed) planOf[client]?.resumed?.(client, wasRecovered);
    },
    ponged: (client) => hooks.ponged?.(client),
  };

  /** Ends an attempt by that cause. */
  const giveUpOn = (client: number, cause: Cause): void => {
    closed(client, cause);
    clients?.drop(client, 'reset');
  };

  /** Clients that are there, or are still to come. */
  const left = (): number => [...plans].reduce((sum, { toCome }) => sum + toCome, there);

  /** Reports once why nothing can come any more. */
  const giveUp = (evidence: string): void => {
    if (!hasGivenUp) context.giveUp({ code: 'targetGone', evidence });
    hasGivenUp = true;
  };

  return {
    ...{ context, startedNs, sinceNs, leastSinceNs, is, isSubscribed, isThere, isOnItsWay, move },
    ...{ arrivedAtNs, leastNs, subscribed, events, giveUpOn, giveUp },
    /** Events per second since the first ramp began. */
    get timeline() {
      return timeline;
    },
    get clients() {
      return clients;
    },
    get there() {
      return there;
    },
    get isClosed() {
      return isClosed;
    },
    /** Makes the clients of the engine, once. */
    async begin(startAtNs: number): Promise<void> {
      if (clients !== undefined) return;
      timeline = new Timeline(startAtNs);
      clients = await context.openClients(events);
    },
    /** Has a client follow a plan from now on. */
    follow(client: number, plan: ClientPlan): void {
      planOf[client] = plan;
      plans.add(plan);
    },
    follows: (client: number, plan: ClientPlan): boolean => planOf[client] === plan,
    /** Counts the clients of a plan in these states. Reads the table, so that the ledger can find a mismatch. */
    count: (plan: ClientPlan, ...states: readonly number[]): number =>
      stateOf.filter((at, client) => states.includes(at) && planOf[client] === plan).length,
    open(client: number): void {
      move(client, clientState.opening);
      startedNs[client] = nowNs();
      clients?.open(client);
    },
    /** Moves a client before it ends its connection or attempt, so that this close is not counted as the target's. */
    drop(client: number, mode: DropMode, state: ClientState): void {
      move(client, state);
      clients?.drop(client, mode);
    },
    /** Ends clients from `first` on that are open and not confirmed for too long. The others are proven again. */
    sweep(first = 0): void {
      const openedBeforeNs = nowNs() - context.load.subscribeTimeoutMs * 1e6;
      for (let client = first; client < clientCount; client++) {
        if (!is(client, clientState.open) || clients === undefined) continue;
        if ((sinceNs[client] as number) <= openedBeforeNs) giveUpOn(client, 'subscribe-timeout');
        else hooks.proveAgain?.(clients, client);
      }
    },
    /** Resolves once `isOver` returns true, or on abort. Until then calls `tick` every few milliseconds. */
    async waitUntil(isOver: (nowNs: number) => boolean, signal: AbortSignal, tick?: () => void): Promise<void> {
      while (!signal.aborted && !isOver(nowNs())) {
        tick?.();
        await context.sleep(tickMs, signal);
      }
    },
    /** Returns true if a client is left for the next step. Gives up without any. */
    hasClients(purpose: string): boolean {
      if (left() === 0) giveUp(`a worker has no client left to ${purpose}`);
      return left() > 0;
    },
    /** Gives up if the client that was cut was the last one. */
    lostOne(cause: string): void {
      if (left() === 0) giveUp(`every client of a worker was cut, the last by ${cause}`);
    },
    /** Takes no further event, so that what is reported stays as it is. */
    close(): void {
      isClosed = true;
    },
    dispose: () => clients?.dispose(),
  };
}

const bucketNs = 1e9;

/** Counts events per second since a start, so that those of several workers and shards add up second by second. */
export class Timeline {
  readonly #buckets = new Map<string, number[]>();

  constructor(private readonly startNs: number) {}

  /** Returns the second, from 0, of an instant. Earlier instants count in the first. */
  secondOf(nowNs: number): number {
    return Math.max(0, Math.floor((nowNs - this.startNs) / bucketNs));
  }

  count(name: string, nowNs: number, events = 1): void {
    const second = this.secondOf(nowNs);
    const buckets = this.#buckets.get(name) ?? [];
    this.#buckets.set(name, buckets);
    while (buckets.length <= second) buckets.push(0);
    buckets[second] = (buckets[second] as number) + events;
  }

  report(): Record<string, number[]> {
    return Object.fromEntries(this.#buckets);
  }
}
