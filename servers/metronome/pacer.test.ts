import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FakeLoop } from '../../test/doubles/fake-loop.js';
import { law } from '../../test/law.js';
import { Alarm, DueQueue, Freezes, Pacer } from './pacer.js';

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

/** An alarm that remembers when it did something, in milliseconds, and what it wants next. */
function alarmOn(loop: FakeLoop, times: number[]) {
  const done: number[] = [];
  let rings = 0;
  const alarm = new Alarm(() => {
    rings++;
    while (times[0] !== undefined && times[0] * 1e6 <= loop.nowNs()) {
      times.shift();
      done.push(loop.nowNs() / 1e6);
    }
    return times[0] === undefined ? Number.POSITIVE_INFINITY : times[0] * 1e6;
  }, loop);
  return { alarm, done, rings: () => rings };
}

it.each([0, 999_000])('rings within a turn of the time, with timers that are %d ns late', (latenessNs) => {
  const loop = new FakeLoop(latenessNs);
  const times = [7, 7.25, 20, 20.5, 103];
  const { alarm, done } = alarmOn(loop, [...times]);
  alarm.aim(7e6);
  loop.run(211);
  expect(done).toHaveLength(times.length);
  for (const [index, time] of times.entries()) {
    expect(done[index]).toBeGreaterThanOrEqual(time);
    expect(done[index]).toBeLessThan(time + 0.007);
  }
});

it('does nothing while nothing is due, and turns only in the last milliseconds', () => {
  const loop = new FakeLoop();
  const { alarm, rings } = alarmOn(loop, [1009]);
  loop.run(503);
  expect(loop.turns).toBe(0);
  alarm.aim(1009e6);
  loop.run(500);
  expect([loop.turns, rings()]).toEqual([0, 0]);
  loop.run(97);
  // 2.5 ms in turns of 3 µs.
  expect(loop.turns).toBeLessThan(850);
  const turnsThen = loop.turns;
  loop.run(997);
  expect(loop.turns).toBe(turnsThen);
});

it('is set forward and never back', () => {
  const loop = new FakeLoop();
  const { alarm, done } = alarmOn(loop, [31]);
  alarm.aim(101e6);
  alarm.aim(31e6);
  alarm.aim(61e6);
  loop.run(41);
  expect(done).toHaveLength(1);
});

it('stands still for the time ordered, counted from the first broadcast of each stream', () => {
  const freezes = new Freezes({ atMs: 2, forMs: 3 });
  const until = () => [0, 1, 3, 5.9, 6, 8, 9].map((ms) => freezes.untilNs(ms * 1e6) / 1e6);
  expect(until()).toEqual([0, 1, 3, 5.9, 6, 8, 9]);
  freezes.begin(1e6);
  expect(until()).toEqual([0, 1, 6, 6, 6, 8, 9]);
  freezes.begin(3e6);
  expect(until()).toEqual([0, 1, 6, 8, 8, 8, 9]);
});

it('tells the end of the last freeze that is over', () => {
  const freezes = new Freezes({ atMs: 2, forMs: 3 });
  freezes.begin(1e6);
  freezes.begin(11e6);
  expect([5, 6, 13, 16, 101].map((ms) => freezes.thawedNs(ms * 1e6) / 1e6)).toEqual([-Infinity, 6, 6, 16, 16]);
});

it('never stands still where none is ordered', () => {
  const freezes = new Freezes(undefined);
  freezes.begin(7);
  expect([freezes.untilNs(11), freezes.thawedNs(11)]).toEqual([11, Number.NEGATIVE_INFINITY]);
});

it('gives what is due, soonest first, and of equals the first queued first', () =>
  law(fc.array(fc.nat(31), { maxLength: 101 }), fc.nat(37), (times, nowNs) => {
    const queue = new DueQueue<{ dueNs: number; rank: number }>();
    const items = times.map((dueNs, rank) => ({ dueNs, rank }));
    for (const item of items) queue.push(item);
    const taken = [];
    for (let item = queue.takeDue(nowNs); item !== undefined; item = queue.takeDue(nowNs)) taken.push(item);
    const sorted = items.toSorted((a, b) => a.dueNs - b.dueNs || a.rank - b.rank);
    expect(taken).toEqual(sorted.filter(({ dueNs }) => dueNs <= nowNs));
    expect(queue.nextDueNs).toBe(sorted[taken.length]?.dueNs ?? Number.POSITIVE_INFINITY);
  }));

it('keeps its order while it is filled and emptied in turns', () =>
  law(fc.array(fc.tuple(fc.nat(13), fc.boolean()), { maxLength: 101 }), (steps) => {
    const queue = new DueQueue<{ dueNs: number; rank: number }>();
    let model: { dueNs: number; rank: number }[] = [];
    for (const [rank, [dueNs, isTake]] of steps.entries()) {
      if (isTake) {
        const first = model.toSorted((a, b) => a.dueNs - b.dueNs || a.rank - b.rank)[0];
        expect(queue.takeDue(Number.POSITIVE_INFINITY)).toBe(first);
        model = model.filter((each) => each !== first);
      } else {
        const item = { dueNs, rank };
        queue.push(item);
        model.push(item);
      }
    }
  }));
