import { type CauseNames, type Talk, talkTogether } from '../measure/causes.js';
import type { Cause, ClientEvents, Clients, DropMode } from '../protocols/protocol.js';
import type { EngineWork } from '../wire/choice.js';

/** Splits a worker's clients over n sets. Client i of a worker from number `first` is in set `(first + i) mod n`. */
export class SplitClients implements Clients {
  constructor(
    private readonly sets: readonly Clients[],
    private readonly first: number,
  ) {}

  open(client: number): void {
    this.#set(client).open(this.#inSet(client));
  }

  subscribe(client: number, stream: string): void {
    this.#set(client).subscribe(this.#inSet(client), stream);
  }

  ping(client: number): void {
    this.#set(client).ping?.(this.#inSet(client));
  }

  get sendsAhead(): boolean {
    return this.sets.every(({ sendsAhead }) => sendsAhead);
  }

  echo(client: number, ...send: [sequence: number, dueNs?: number, token?: number]): boolean {
    return this.#set(client).echo?.(this.#inSet(client), ...send) ?? false;
  }

  whisper(client: number, stream: string, ...send: [sequence: number, dueNs?: number, token?: number]): boolean {
    return this.#set(client).whisper?.(this.#inSet(client), stream, ...send) ?? false;
  }

  broadcast(client: number, stream: string, sequence: number, dueNs?: number): boolean {
    return this.#set(client).broadcast?.(this.#inSet(client), stream, sequence, dueNs) ?? false;
  }

  unsent(client: number): number {
    return this.#set(client).unsent?.(this.#inSet(client)) ?? 0;
  }

  readAtMost(client: number, bytes: number): void {
    this.#set(client).readAtMost?.(this.#inSet(client), bytes);
  }

  leftAtNs(client: number): number {
    return this.#set(client).leftAtNs?.(this.#inSet(client)) ?? Number.POSITIVE_INFINITY;
  }

  leastNs(client: number): number {
    return this.#set(client).leastNs(this.#inSet(client));
  }

  arrivedAtNs(client: number): number | undefined {
    return this.#set(client).arrivedAtNs?.(this.#inSet(client));
  }

  drop(client: number, mode: DropMode): void {
    this.#set(client).drop(this.#inSet(client), mode);
  }

  settled(client: number, cause?: Cause): void {
    this.#set(client).settled?.(this.#inSet(client), cause);
  }

  talk(): Talk {
    return talkTogether(this.sets.map((set) => set.talk?.()));
  }

  engines(): EngineWork[] {
    return this.sets.flatMap((set) => set.engines?.() ?? []);
  }

  dispose(): void {
    for (const set of this.sets) set.dispose();
  }

  #set(client: number): Clients {
    return this.sets[(this.first + client) % this.sets.length] as Clients;
  }

  #inSet(client: number): number {
    return Math.floor(client / this.sets.length);
  }
}

/** Returns the first client of a worker in set `index` of `of`, if the worker starts with number `first`. */
export function firstOfSet(first: number, index: number, of: number): number {
  return (index + of - (first % of)) % of;
}

/** Passes on the events of one of `of` sets, with the worker's own numbers. */
export function splitEvents(events: ClientEvents, causes: CauseNames, firstInSet: number, of: number): ClientEvents {
  const whole = (client: number): number => client * of + firstInSet;
  // A single set has the worker's own numbers, so its batches go to the role unchanged.
  const through = <B extends NumberedBatch>(take: (batch: B) => void): ((batch: B) => void) => {
    if (of === 1) return take;
    const renumber = renumbering(whole);
    return (batch) => take(renumber(batch));
  };
  return {
    opened: (client, ...times) => events.opened(whole(client), ...times),
    ready: (client) => events.ready(whole(client)),
    subscribed: (client, stream) => events.subscribed(whole(client), stream),
    closed: (client, cause, wasOpen) => events.closed(whole(client), causes.nameOf(cause), wasOpen),
    resumed: (client, wasRecovered) => events.resumed(whole(client), wasRecovered),
    ponged: (client) => events.ponged?.(whole(client)),
    deliveries: through(events.deliveries.bind(events)),
    ...(events.acknowledgements && { acknowledgements: through(events.acknowledgements.bind(events)) }),
    ...(events.sends && { sends: through(events.sends.bind(events)) }),
  };
}

interface NumberedBatch {
  count: number;
  client: Int32Array;
}

/** Replaces the client numbers of batches in memory of its own. The engine may read its batch meanwhile. */
function renumbering(whole: (client: number) => number): <B extends NumberedBatch>(batch: B) => B {
  let numbers = new Int32Array(0);
  return (batch) => {
    const { count, client } = batch;
    if (numbers.length < count) numbers = new Int32Array(client.length);
    for (let i = 0; i < count; i++) numbers[i] = whole(client[i] as number);
    return { ...batch, client: numbers };
  };
}
