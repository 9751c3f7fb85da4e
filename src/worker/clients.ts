import type { Job } from '../contract/job.js';
import type { PayloadFormat } from '../measure/payload.js';
import { protocolByName } from '../protocols/list.js';
import type { ClientEvents, Clients } from '../protocols/protocol.js';
import { sourceAddresses } from '../units/addresses.js';
import { DeliveryBatcher } from '../wire/batcher.js';
import { WireClients } from './wire-clients.js';

const batchCapacity = 4096;

/** Makes a worker's clients, of the kind that the job names. */
export async function openClients(
  job: Job,
  format: PayloadFormat,
  capacity: number,
  events: ClientEvents,
): Promise<Clients> {
  const protocol = protocolByName(job.protocol);
  if (!protocol) throw new Error(`no protocol ${job.protocol}: a parsed job names one of the list`);
  const url = new URL(job.target.wsUrl);
  if (url.pathname === '/' && url.search === '') url.href = new URL(protocol.defaultPath, url).href;
  const shared = {
    url: url.href,
    headers: {},
    localAddresses: sourceAddresses(job.load.localAddresses, url.hostname),
    caPem: job.load.caPem,
    isInsecure: job.load.isInsecure,
    connectTimeoutMs: job.load.connectTimeoutMs,
    capacity,
  };
  if (job.load.client === 'wire') {
    return new WireClients(protocol, { ...shared, subprotocols: protocol.subprotocols, scan: format }, events);
  }
  const batcher = new DeliveryBatcher((batch) => events.deliveries(batch), batchCapacity);
  return protocol.libraryClients(
    {
      ...shared,
      sequenceOf: format.sequenceOf,
      delivered: (client, sequence) => batcher.add(client, sequence, batcher.stamp(), 0),
    },
    events,
  );
}
