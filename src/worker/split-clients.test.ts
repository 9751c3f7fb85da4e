import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CauseNames } from '../measure/causes.js';
import { shareOf, shareStart } from '../measure/share.js';
import type { ClientEvents, Clients } from '../protocols/protocol.js';
import { firstOfSet, splitClients, splitEvents } from './clients.js';

/** Clients of a worker from number `first`, in `of` sets, which record all calls and events. */
function split(of: number, first = 0) {
  const asked: string[] = [];
  const told: string[] = [];
  const tell =
    (name: string) =>
    (client: number, ...rest: unknown[]): void => {
      told.push([name, client, ...rest].join(' '));
    };
  const events: ClientEvents = {
    opened: tell('opened'),
    ready: tell('ready'),
    subscribed: tell('subscribed'),
    closed: tell('closed'),
    resumed: tell('resumed'),
    deliveries: ({ count, client, sequence }) =>
      told.push(...Array.from({ length: count }, (_, i) => `delivery ${client[i]} ${sequence[i]}`)),
    sends: ({ count, client, token }) =>
      told.push(...Array.from({ length: count }, (_, i) => `send ${client[i]} ${token[i]}`)),
  };
  const sets = Array.from({ length: of }, (_, index): Clients => {
    const ask =
      (name: string) =>
      (...rest: unknown[]): boolean =>
        asked.push([`${index}:`, name, ...rest].join(' ')) > 0;
    return {
      open: ask('open'),
      subscribe: ask('subscribe'),
      echo: ask('echo'),
      whisper: ask('whisper'),
      broadcast: ask('broadcast'),
      leastNs: (client) => Number(`${index}${client}`),
      arrivedAtNs: (client) => Number(`${client}${index}`),
      drop: ask('drop'),
      dispose: ask('dispose'),
    };
  });
  const names = new CauseNames();
  const parts = sets.map((_, index) => splitEvents(events, names, firstOfSet(first, index, of), of));
  return { clients: splitClients(sets, first), parts, asked, told };
}

const batch = (clients: readonly number[], count = clients.length) => ({
  count,
  notBeforeNs: new Float64Array(clients.length),
  client: Int32Array.from(clients),
  sequence: Int32Array.from(clients, (_, i) => i),
  receivedAtNs: new Float64Array(clients.length),
  flags: new Uint8Array(clients.length),
});

it('split clients are told of under the number they were opened by, each once, and fill every set from 0 on', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(101), fc.nat(101), (of, capacity, first) => {
      const { clients, parts, asked, told } = split(of, first);
      const inSets = Array.from({ length: of }, () => [] as number[]);
      for (let client = 0; client < capacity; client++) {
        clients.open(client);
        const [set = 0, inSet = 0] = (asked.at(-1) as string).split(': open ').map(Number);
        inSets[set]!.push(inSet);
        parts[set]!.ready(inSet);
        expect(told.at(-1)).toBe(`ready ${client}`);
        expect(clients.leastNs(client)).toBe(Number(`${set}${inSet}`));
        expect(clients.arrivedAtNs?.(client)).toBe(Number(`${inSet}${set}`));
      }
      inSets.forEach((ids, index) => {
        const length = shareOf(capacity, firstOfSet(first, index, of), of);
        expect(ids).toEqual(Array.from({ length }, (_, n) => n));
      });
    }),
  );
});

it('split clients fall to the same address however many workers share them', () => {
  // 7 clients over 3 workers and 4 addresses: two each, and one for the last.
  const counts = [0, 0, 0, 0];
  for (let worker = 0; worker < 3; worker++) {
    const { clients, asked } = split(4, shareStart(7, worker, 3));
    for (let client = 0; client < shareOf(7, worker, 3); client++) clients.open(client);
    for (const line of asked) counts[Number(line.split(':')[0])]!++;
  }
  expect(counts).toEqual([2, 2, 2, 1]);
});

it('split clients pass on every call', () => {
  const { clients, asked } = split(3);
  clients.open(7);
  clients.subscribe(5, 'spring');
  clients.echo?.(4, 97, 1009);
  clients.whisper?.(8, 'summer', 101, 2003);
  clients.broadcast?.(3, 'autumn', 103);
  clients.drop(11, 'vanish');
  clients.dispose();
  expect(asked).toEqual([
    '1: open 2',
    '2: subscribe 1 spring',
    '1: echo 1 97 1009',
    '2: whisper 2 summer 101 2003',
    '0: broadcast 1 autumn 103',
    '2: drop 3 vanish',
    '0: dispose',
    '1: dispose',
    '2: dispose',
  ]);
});

it('split clients pass on every event with all it says', () => {
  const { parts, told } = split(3);
  parts[1]?.opened(2, 1009, 2003, 997);
  parts[2]?.subscribed(1, 'spring');
  parts[0]?.closed(3, 'close-code:1001', true);
  parts[1]?.resumed(0, false);
  expect(told).toEqual([
    'opened 7 1009 2003 997',
    'subscribed 5 spring',
    'closed 9 close-code:1001 true',
    'resumed 1 false',
  ]);
});

it('split clients are found again in a batch of sends, which only sets can take ahead that all do', () => {
  const { clients, parts, told } = split(5);
  const [ns, fate] = [new Float64Array(2), new Uint8Array(2)];
  const [client, token] = [Int32Array.of(3, 7), Int32Array.of(1009, 2003)];
  parts[2]?.sends?.({ count: 2, client, token, sentAtNs: ns, writtenAtNs: ns, fate });
  expect(told).toEqual(['send 17 1009', 'send 37 2003']);
  expect(clients.sendsAhead).toBe(false);
});

it('split clients are found again in a batch of deliveries, no further than its count', () => {
  const { parts, told } = split(5);
  const given = batch([0, 3, 7, 13], 3);
  parts[2]?.deliveries(given);
  expect(told).toEqual(['delivery 2 0', 'delivery 17 1', 'delivery 37 2']);
  // The engine may look into it meanwhile.
  expect([...given.client]).toEqual([0, 3, 7, 13]);
});
