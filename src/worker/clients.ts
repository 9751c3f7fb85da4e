import { CauseNames, talkTogether } from '../measure/causes.js';
import { type PayloadFormat, sequenceFinder } from '../measure/samples/payload.js';
import { shareOf } from '../measure/share.js';
import { completeAddress, upgradeTo } from '../protocols/client-options.js';
import { protocolOptionsOf, protocolWith } from '../protocols/list.js';
import {
  type Cause,
  type ClientEvents,
  type Clients,
  type Protocol,
  trailing,
  type Verb,
} from '../protocols/protocol.js';
import { maskOf, Trails } from '../protocols/trails.js';
import { firstHost, sourceAddresses } from '../units/addresses.js';
import { filledUpgrade, hasSlots, unfitHeader, valuesIn } from '../units/slots.js';
import { identitiesOf } from '../units/text.js';
import { DeliveryBatcher } from '../wire/batcher.js';
import { chooseEngine } from '../wire/choice.js';
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
  return of === 1 ? (sets[0] as Clients) : splitClients(sets, first);
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
  const { localAddresses, caPem, isInsecure, connectTimeoutMs, tlsResume, targetCert, proxy, clientsPerHttp2 } =
    job.load;
  const address = completeAddress(protocol, wsUrl, options);
  const schema = protocolOptionsOf(protocol);
  const trails = new Trails((client) =>
    maskOf(schema, options, new URL(wsUrl), users?.valuesOf(numberOf(client)) ?? valuesIn({ numberOf }, client)),
  );
  const events = trailing(numbered, trails);
  const shared = {
    ...upgradeTo(address, options),
    options,
    trails,
    numberOf,
    ...(users && { valuesOf: (client: number) => users.valuesOf(numberOf(client)) }),
    localAddresses: sourceAddresses(localAddresses, firstHost(address, proxy), job.demand.clients),
    ...{ caPem, isInsecure, connectTimeoutMs, tlsResume, proxy, clientsPerHttp2 },
    identities: identitiesOf(targetCert, capacity, numberOf),
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

/** Methods of clients that take the number of a client first. */
const methodsOfClient = [
  ...['open', 'subscribe', 'ping', 'echo', 'whisper', 'broadcast', 'unsent', 'readAtMost'],
  ...['leftAtNs', 'leastNs', 'arrivedAtNs', 'drop', 'settled'],
] as const;

type Method = (client: number, ...more: unknown[]) => unknown;

/** Splits a worker's clients over n sets. Client i of a worker from number `first` is in set `(first + i) mod n`. */
export function splitClients(sets: readonly Clients[], first: number): Clients {
  const of = sets.length;
  const methods = methodsOfClient.map((name) => {
    const each = sets.map((set) => (set[name as keyof Clients] as Method | undefined)?.bind(set));
    const inSet: Method = (client, ...more) => each[(first + client) % of]?.(Math.floor(client / of), ...more);
    return [name, inSet] as const;
  });
  return {
    ...(Object.fromEntries(methods) as unknown as Clients),
    sendsAhead: sets.every(({ sendsAhead }) => sendsAhead),
    talk: () => talkTogether(sets.map((set) => set.talk?.())),
    engines: () => sets.flatMap((set) => set.engines?.() ?? []),
    dispose() {
      for (const set of sets) set.dispose();
    },
  };
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
