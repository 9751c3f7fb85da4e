import { expect, it } from 'vitest';
import { FakeLoop } from '../../../test/doubles/fake-loop.js';
import { Alarm } from './pacer.js';

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
