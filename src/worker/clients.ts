import { CauseNames } from '../measure/causes.js';
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
import { sourceAddresses } from '../units/addresses.js';
import { filledUpgrade, hasSlots, unfitHeader, valuesIn } from '../units/slots.js';
import { DeliveryBatcher } from '../wire/batcher.js';
import { chooseEngine } from '../wire/choice.js';
import { compressionOffered } from '../wire/deflate.js';
import type { ClientRange, Users } from './logins.js';
import type { PlainJob } from './messages.js';
import { firstOfSet, SplitClients, splitEvents } from './split-clients.js';
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
