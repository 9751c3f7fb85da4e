import { CauseNames } from '../measure/causes.js';
import type { PayloadFormat } from '../measure/samples/payload.js';
import { share } from '../measure/share.js';
import { completeAddress } from '../protocols/address.js';
import { upgradeTo } from '../protocols/client-options.js';
import { protocolByName } from '../protocols/list.js';
import { masksOf } from '../protocols/masks.js';
import type { ClientEvents, Clients, Protocol } from '../protocols/protocol.js';
import { trailing } from '../protocols/trail-events.js';
import { Trails } from '../protocols/trails.js';
import { sourceAddresses } from '../units/addresses.js';
import { valuesIn } from '../units/slots.js';
import { DeliveryBatcher } from '../wire/batcher.js';
import { chooseEngine } from '../wire/choice.js';
import { DealtClients, dealtEvents, firstDealt } from './dealt-clients.js';
import type { PlainJob } from './messages.js';
import { WireClients } from './wire-clients.js';

const batchCapacity = 4096;

/** Makes `capacity` clients, from number `first` of the whole run, spread over the target's addresses. */
export async function openClients(
  job: Omit<PlainJob, 'scenario'>,
  format: PayloadFormat,
  { first, capacity }: { first: number; capacity: number },
  events: ClientEvents,
): Promise<Clients> {
  // Few, and without control characters of the target, so that they can be kept and printed.
  const names = new CauseNames();
  const protocol = protocolByName(job.protocol);
  if (!protocol) throw new Error(`no protocol ${job.protocol}: a parsed job names one of the list`);
  const { wsUrls } = job.target;
  const of = wsUrls.length;
  const parts = wsUrls.map((wsUrl, index) => {
    const dealt = firstDealt(first, index, of);
    const numberOf = (client: number): number => first + dealt + client * of;
    const set = { wsUrl, capacity: share(capacity, dealt, of), numberOf };
    return clientsOf(job, protocol, format, set, dealtEvents(events, names, dealt, of));
  });
  const sets = await Promise.all(parts);
  return of === 1 ? (sets[0] as Clients) : new DealtClients(sets, first);
}

/** The clients of one address. */
interface ClientSet {
  wsUrl: string;
  capacity: number;
  /** The number of a client of this set in the whole run. */
  numberOf(client: number): number;
}

async function clientsOf(
  job: Omit<PlainJob, 'scenario'>,
  protocol: Protocol,
  format: PayloadFormat,
  { wsUrl, capacity, numberOf }: ClientSet,
  dealt: ClientEvents,
): Promise<Clients> {
  const options = job.protocolOptions;
  const address = completeAddress(protocol, wsUrl, options);
  const trails = new Trails((client) => masksOf(protocol, options, new URL(wsUrl), valuesIn({ numberOf }, client)));
  const events = trailing(dealt, trails);
  const shared = {
    ...upgradeTo(address, options),
    options,
    trails,
    numberOf,
    localAddresses: sourceAddresses(job.load.localAddresses, address.hostname, job.demand.clients),
    caPem: job.load.caPem,
    isInsecure: job.load.isInsecure,
    connectTimeoutMs: job.load.connectTimeoutMs,
    capacity,
    payload: (sequence: number): string => format.text(job.slice.index, sequence),
  };
  if (job.load.client === 'wire') {
    const { acknowledgement, subprotocols, replies = [] } = protocol;
    const deliveryHeads = protocol.deliveryHeads?.(options);
    const scan = { ...format, acknowledgement, isDelivery: protocol.deliveryTest?.(options), deliveryHeads };
    const engine = await chooseEngine(job.load.engine, address.protocol === 'wss:');
    return new WireClients(protocol, { ...shared, engine, subprotocols, scan, replies }, events);
  }
  const deliveries = new DeliveryBatcher((batch) => events.deliveries(batch), batchCapacity);
  const acknowledgements = new DeliveryBatcher((batch) => events.acknowledgements?.(batch), batchCapacity);
  const into =
    (batcher: DeliveryBatcher) =>
    (client: number, sequence: number): void => {
      batcher.stamp();
      batcher.add(client, sequence, 0);
    };
  return protocol.libraryClients(
    {
      ...shared,
      sequenceOf: format.sequenceOf,
      delivered: into(deliveries),
      acknowledged: into(acknowledgements),
    },
    events,
  );
}
