import { expect, it } from 'vitest';
import { FakeLoop } from '../../../test/doubles/fake-loop.js';
import { Pacer } from './pacer.js';

/**
 * A pacer, and what it did: `name@milliseconds` of the time, and in brackets until when that had to wait for a thaw.
 */
function pacerOf(freeze?: { atMs: number; forMs: number }) {
  const loop = new FakeLoop();
  const pacer = new Pacer(freeze, loop);
  const done: string[] = [];
  const nowMs = () => Math.floor(loop.nowNs() / 1e6);
  const item = (name: string, dueMs: number, workMs = 0) => ({
    dueNs: dueMs * 1e6,
    ring(thawedNs: number) {
      done.push(`${name}@${nowMs()}${thawedNs > 0 ? `(${thawedNs / 1e6})` : ''}`);
      loop.work(workMs);
    },
  });
  const act = (name: string) => () => void done.push(`${name}@${nowMs()}`);
  return { loop, pacer, done, item, act };
}

it('does each thing at its time, and at once what is due', () => {
  const { loop, pacer, done, item } = pacerOf();
  loop.run(5);
  for (const [name, dueMs] of [
    ['c', 31],
    ['a', 5],
    ['b', 7],
  ] as const)
    pacer.soon(item(name, dueMs));
  expect(done).toEqual(['a@5']);
  loop.run(101);
  expect(done).toEqual(['a@5', 'b@7', 'c@31']);
});

it('reads sockets between slices of what is due', () => {
  const { loop, pacer, done, item } = pacerOf();
  for (let index = 0; index < 10; index++) pacer.at(item('x', 10, 0.09));
  loop.run(10.1);
  expect(done).toHaveLength(3);
  loop.run(101);
  expect(done).toHaveLength(10);
});

it('does nothing in a freeze, and then first what was to be done at once', () => {
  const { loop, pacer, done, item, act } = pacerOf({ atMs: 10, forMs: 20 });
  pacer.begin(0);
  for (const dueMs of [9, 11, 29, 33]) pacer.at(item('due', dueMs));
  loop.run(13);
  pacer.pass(act('first'));
  pacer.pass(act('second'));
  expect(done).toEqual(['due@9']);
  loop.run(101);
  expect(done.slice(1)).toEqual(['first@30', 'second@30', 'due@30(30)', 'due@30(30)', 'due@33(30)']);
  pacer.pass(act('third'));
  expect(done.at(-1)).toBe('third@114');
});

it('keeps the order of what is held and what comes just after the thaw', () => {
  const { loop, pacer, done, act } = pacerOf({ atMs: 0, forMs: 20 });
  pacer.begin(0);
  loop.run(7);
  pacer.pass(act('held'));
  loop.work(17);
  pacer.pass(act('later'));
  expect(done).toEqual(['held@24', 'later@24']);
});
