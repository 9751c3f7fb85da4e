import { expect, it } from 'vitest';
import { Heartbeats } from './upgrades.js';

it('pings everybody once a round, few at a time', () => {
  const beats = new Heartbeats({ everyMs: 3000, text: () => 'ping' });
  const pings: number[] = [];
  const clients = Array.from({ length: 331 }, (_, index) => ({ index, say: () => void pings.push(index) }));
  for (const client of clients) beats.add(client);
  beats.delete(clients[7]!);
  const most = { atOnce: 0 };
  for (let beat = 0; beat < 3000 / beats.beatMs; beat++) {
    const before = pings.length;
    beats.beat();
    most.atOnce = Math.max(most.atOnce, pings.length - before);
  }
  expect(pings.toSorted((a, b) => a - b)).toEqual(clients.map(({ index }) => index).filter((index) => index !== 7));
  expect(most.atOnce).toBe(3);
});
