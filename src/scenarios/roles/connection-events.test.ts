import { expect, it } from 'vitest';
import type { ClientEvents, DeliveryBatch } from '../../protocols/protocol.js';
import { divert } from './connection-events.js';

/** Writes down what it is told. */
function listener(name: string, told: string[]): ClientEvents {
  const tell = (what: string) => (client: number) => void told.push(`${name} ${what} ${client}`);
  return {
    opened: tell('opened'),
    ready: tell('ready'),
    subscribed: tell('subscribed'),
    closed: tell('closed'),
    resumed: tell('resumed'),
    deliveries: ({ count }) => tell('deliveries')(count),
    acknowledgements: ({ count }) => tell('acknowledgements')(count),
    sends: ({ count }) => tell('sends')(count),
  };
}

it('tells each of its own clients, and the first of every batch', () => {
  const told: string[] = [];
  const events = divert(listener('first', told), listener('later', told), (client) => client > 6);
  for (const client of [3, 7]) {
    events.opened(client, 1, 2, 1);
    events.ready(client);
    events.subscribed(client, 'spring');
    events.resumed(client, true);
    events.closed(client, 'reset', true);
  }
  const names = ['opened', 'ready', 'subscribed', 'resumed', 'closed'];
  expect(told.splice(0)).toEqual([
    ...names.map((name) => `first ${name} 3`),
    ...names.map((name) => `later ${name} 7`),
  ]);
  const batch: DeliveryBatch = {
    ...{ count: 2, notBeforeNs: new Float64Array(2), client: Int32Array.of(3, 7), sequence: Int32Array.of(0, 0) },
    ...{ receivedAtNs: Float64Array.of(1, 2), flags: new Uint8Array(2) },
  };
  events.deliveries(batch);
  events.acknowledgements?.(batch);
  const [ns, { client, sequence: token }] = [new Float64Array(2), batch];
  events.sends?.({ ...{ count: 2, client, token, sentAtNs: ns, writtenAtNs: ns }, fate: new Uint8Array(2) });
  expect(told).toEqual(['first deliveries 2', 'first acknowledgements 2', 'first sends 2']);
});
