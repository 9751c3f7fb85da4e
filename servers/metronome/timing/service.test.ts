import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FakeLoop } from '../../../test/doubles/fake-loop.js';
import { Pacer } from './pacer.js';
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
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 50, max: 5000 }), (list, perSecond) => {
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
    }),
    { numRuns: 53 },
  );
});
