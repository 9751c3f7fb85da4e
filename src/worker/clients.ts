import { CauseNames, type Talk, talkTogether } from '../measure/causes.js';
import { type PayloadFormat, sequenceFinder } from '../measure/samples/payload.js';
import { shareOf } from '../measure/share.js';
import { completeAddress, upgradeTo } from '../protocols/client-options.js';
import { protocolWith } from '../protocols/list.js';
import { maskOf, trailing } from '../protocols/masks.js';
import type { Cause, ClientEvents, Clients, DropMode, Protocol, Verb } from '../protocols/protocol.js';
import { Trails } from '../protocols/trails.js';
import { sourceAddresses } from '../units/addresses.js';
import { filledUpgrade, hasSlots, unfitHeader, valuesIn } from '../units/slots.js';
import { DeliveryBatcher } from '../wire/batcher.js';
import { chooseEngine, type EngineWork } from '../wire/choice.js';
import { compressionOffered } from '../wire/deflate.js';
import type { ClientRange, Users } from './logins.js';
import type { PlainJob } from './messages.js';
import { WireClients } from './wire-clients.js';

const batchCapacity = 4096;

/** Returns the format of a run with the marker that identifies its sends: that of the protocol, or that of the data. */
export function recognised(protocol: Protocol, needs: readonly Verb[], format: PayloadFormat): PayloadFormat {
  const kind = needs.includes('echo') ? 'echo' : needs.includes('whisper') ? 'whisper' : 'publish';
  const marker = protocol.markers?.[kind];
  return marker ? { ...format, ...marker, sequenceOf: sequenceFinder(marker) } : format;
}

/** Creates clients from number `first` of the whole run, spread over the target's addresses. */
export async function openClients(
  job: Omit<PlainJob, 'scenario'>,
  format: PayloadFormat,
  { first, capacity }: ClientRange,
  events: ClientEvents,
  users?: Users,
): Promise<Clients> {
  // Few names without control characters of the target, so that they can be kept and printed.
  const names = new CauseNames();
  const protocol = protocolWith(job.protocol, job.protocolOptions);
  if (!protocol) throw new Error(`no protocol ${job.protocol}: a parsed job names one of the list`);
  const { wsUrls } = job.target;
  const of = wsUrls.length;
  const parts = wsUrls.map((wsUrl, index) => {
    const firstInSet = firstOfSet(first, index, of);
    const numberOf = (client: number): number => first + firstInSet + client * of;
    const set = { wsUrl, capacity: shareOf(capacity, firstInSet, of), numberOf, users };
    return clientsOf(job, protocol, format, set, splitEvents(events, names, firstInSet, of));
  });
  const sets = await Promise.all(parts);
  return of === 1 ? (sets[0] as Clients) : new SplitClients(sets, first);
}

interface ClientSet {
  wsUrl: string;
  capacity: number;
  numberOf(client: number): number;
  users: Users | undefined;
}

async function clientsOf(
  job: Omit<PlainJob, 'scenario'>,
  protocol: Protocol,
  format: PayloadFormat,
  { wsUrl, capacity, numberOf, users }: ClientSet,
  numbered: ClientEvents,
): Promise<Clients> {
  const options = job.protocolOptions;
  const address = completeAddress(protocol, wsUrl, options);
  const trails = new Trails((client) =>
    maskOf(protocol, options, new URL(wsUrl), users?.valuesOf(numberOf(client)) ?? valuesIn({ numberOf }, client)),
  );
  const events = trailing(numbered, trails);
  const shared = {
    ...upgradeTo(address, options),
    options,
    trails,
    numberOf,
    ...(users && { valuesOf: (client: number) => users.valuesOf(numberOf(client)) }),
    localAddresses: sourceAddresses(job.load.localAddresses, address.hostname, job.demand.clients),
    caPem: job.load.caPem,
    isInsecure: job.load.isInsecure,
    connectTimeoutMs: job.load.connectTimeoutMs,
    capacity,
    payload: (sequence: number): string => format.text(job.slice.index, sequence),
  };
  const canDiffer = hasSlots(shared);
  const failureOf = (client: number): Cause | undefined => {
    const failure = users?.failureOf(numberOf(client));
    if (failure !== undefined || !canDiffer) return failure;
    const unfit = unfitHeader(filledUpgrade(shared, valuesIn(shared, client)));
    return unfit && `bad-value:${unfit}`;
  };
  const able = (clients: Clients): Clients => withFailures(clients, events, failureOf);
  if (job.load.client === 'wire') {
    const { acknowledgement, replies = [] } = protocol;
    const subprotocols = [...protocol.subprotocols, ...shared.subprotocols];
    const deliveryHeads = protocol.deliveryHeads?.(options);
    const scan = { ...format, acknowledgement, isDelivery: protocol.deliveryTest?.(options), deliveryHeads };
    const compression = compressionOffered(job.load);
    const engine = await chooseEngine(job.load.engine, address.protocol === 'wss:');
    return able(new WireClients(protocol, { ...shared, engine, compression, subprotocols, scan, replies }, events));
  }
  const deliveries = new DeliveryBatcher((batch) => events.deliveries(batch), batchCapacity);
  const acknowledgements = new DeliveryBatcher((batch) => events.acknowledgements?.(batch), batchCapacity);
  const into =
    (batcher: DeliveryBatcher) =>
    (client: number, sequence: number): void => {
      batcher.stamp();
      batcher.add(client, sequence, 0);
    };
  const taken = { delivered: into(deliveries), acknowledged: into(acknowledgements) };
  return able(await protocol.libraryClients({ ...shared, sequenceOf: format.sequenceOf, ...taken }, events));
}

/** Makes each attempt of a client that can't connect fail with the cause of `failureOf`, right after its `open`. */
function withFailures(
  clients: Clients,
  events: ClientEvents,
  failureOf: (client: number) => Cause | undefined,
): Clients {
  const open = clients.open.bind(clients);
  clients.open = (client) => {
    const cause = failureOf(client);
    if (cause === undefined) open(client);
    else queueMicrotask(() => events.closed(client, cause, false));
  };
  return clients;
}

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
