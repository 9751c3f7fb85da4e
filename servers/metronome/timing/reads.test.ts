import { expect, it } from 'vitest';
import { FakeLoop } from '../../../test/doubles/fake-loop.js';
import { Reads } from './loop.js';

const ms = ({ atNs, readableFromNs }: { atNs: number; readableFromNs: number }) => [atNs / 1e6, readableFromNs / 1e6];

it('takes what is read after a sleep for what woke the loop', () => {
  const loop = new FakeLoop();
  const reads = new Reads(loop);
  loop.run(100);
  expect(ms(reads.stamp())).toEqual([100, 100]);
});

it('lets what is read after a sleep have waited for the work since the wake', () => {
  const loop = new FakeLoop();
  const reads = new Reads(loop);
  loop.run(100);
  loop.work(7);
  expect(ms(reads.stamp())).toEqual([107, 100]);
});

it('lets what is read without a sleep have come since the poll before', () => {
  const loop = new FakeLoop();
  const reads = new Reads(loop);
  for (const workMs of [13, 17, 19]) {
    loop.afterPoll(() => {
      reads.markTurn();
      loop.work(workMs);
    });
    loop.run(0.002);
  }
  const { atNs, readableFromNs } = reads.stamp();
  expect(loop.idleNs()).toBe(0);
  // The poll before lay behind the work of 13 and 17 ms; the mark that is known to lie before it is one turn older.
  expect(atNs).toBeGreaterThan(49e6);
  expect(readableFromNs).toBeGreaterThan(13e6);
  expect(readableFromNs).toBeLessThan(30e6);
});

it('marks once a turn, however often it is asked', () => {
  const loop = new FakeLoop();
  const reads = new Reads(loop);
  for (let call = 0; call < 7; call++) reads.markTurn();
  loop.run(1);
  expect(loop.turns).toBe(1);
});
