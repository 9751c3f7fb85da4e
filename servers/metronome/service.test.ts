import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FakeLoop } from '../../test/doubles/fake-loop.js';
import { law } from '../../test/law.js';
import { DueQueue, Pacer } from './pacer.js';
import { DeliveryServer } from './service.js';

/** A service of so many frames a second, and when each delivery was through: `name@milliseconds`. */
function serving(framesPerSecond: number, freeze?: { atMs: number; forMs: number }) {
  const loop = new FakeLoop();
  const pacer = new Pacer(freeze, loop);
  const service = new DeliveryServer(framesPerSecond, pacer);
  const through: string[] = [];
  const absent = new Set<string>();
  const take = (name: string, frames = 1) => {
    const cameAtNs = loop.nowNs();
    pacer.pass(() =>
      service.take({
        cameAtNs,
        frames,
        isOwed: () => !absent.has(name),
        served: (atNs) => through.push(`${name}@${Math.round(atNs / 1e3) / 1e3}`),
        gone: () => through.push(`${name} gone`),
      }),
    );
  };
  return { loop, pacer, service, through, absent, take };
}

it('serves one after the other, each for its time, and begins at once when it was idle', () => {
  const { loop, through, take } = serving(100);
  for (const name of ['a', 'b', 'c']) take(name);
  loop.run(53);
  take('d');
  loop.run(101);
  expect(through).toEqual(['a@10', 'b@20', 'c@30', 'd@63']);
});

it('takes twice the time for two frames', () => {
  const { loop, through, take } = serving(100);
  take('a', 2);
  take('b');
  loop.run(101);
  expect(through).toEqual(['a@20', 'b@30']);
});

it('keeps its schedule when the loop rings late', () => {
  const { loop, through, take } = serving(100);
  for (const name of ['a', 'b', 'c']) take(name);
  loop.work(31);
  loop.run(7);
  expect(through).toEqual(['a@10', 'b@20', 'c@30']);
});

it('spends no time on who has left', () => {
  const { loop, through, absent, take } = serving(100);
  for (const name of ['a', 'b', 'c', 'd']) take(name);
  loop.run(3);
  for (const name of ['a', 'b', 'c']) absent.add(name);
  loop.run(101);
  expect(through).toEqual(['a gone', 'b gone', 'c gone', 'd@20']);
});

it('stands still in a freeze, and goes on from its end', () => {
  const { loop, pacer, through, take } = serving(100, { atMs: 13, forMs: 41 });
  pacer.begin(0);
  for (const name of ['a', 'b', 'c']) take(name);
  loop.run(101);
  expect(through).toEqual(['a@10', 'b@54', 'c@64']);
});

it('is never ahead of its rate, and idle only with nothing to do', () => {
  const arrivals = fc.array(fc.tuple(fc.integer({ min: 0, max: 17 }), fc.integer({ min: 1, max: 3 })), {
    maxLength: 97,
  });
  law.with({ numRuns: 53 }, arrivals, fc.integer({ min: 50, max: 5000 }), (list, perSecond) => {
    const { loop, service, through, take } = serving(perSecond);
    let freeMs = 0;
    const asked = list.map(([pauseMs, frames], n) => {
      loop.run(pauseMs);
      const cameMs = loop.nowNs() / 1e6;
      take(String(n), frames);
      freeMs = Math.max(cameMs, freeMs) + (frames * 1000) / perSecond;
      return [String(n), freeMs] as const;
    });
    loop.run(10_007);
    expect(service.backlog).toBe(0);
    const got = through.map((line) => line.split('@'));
    expect(got.map(([name]) => name)).toEqual(asked.map(([name]) => name));
    for (const [n, [, atMs]] of got.entries()) expect(Number(atMs)).toBeCloseTo(asked[n]?.[1] as number, 2);
  });
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
