import { expect, it } from 'vitest';
import { ScriptedLoop } from '../../test/doubles/scripted-loop.js';
import { coreWaitReader, Turns } from './turns.js';

const wakeNs = 50;

it('takes from the sleep what each wake may have taken, whether its turn began or not', () => {
  const loop = new ScriptedLoop();
  const turns = new Turns(loop, wakeNs);
  loop.sleep(1009);
  turns.woke();
  loop.work(307);
  loop.sleep(2003);
  turns.begin();
  turns.woke();
  expect(turns.sleptNs).toBe(1009 + 2003 - 2 * wakeNs);
  loop.checkPhase();
  loop.sleep(4001);
  turns.begin();
  expect(turns.sleptNs).toBe(1009 + 2003 + 4001 - 3 * wakeNs);
});

it('has no turns of ticks before one reads, and nothing certain of sleeps until then', () => {
  const loop = new ScriptedLoop();
  const turns = new Turns(loop, wakeNs);
  turns.tick(10e6);
  expect(turns.isRunning).toBe(false);
  loop.sleep(7e6);
  turns.begin();
  expect([turns.sleptNs, turns.readableFromNs]).toEqual([0, 1009]);
  loop.checkPhase();
  turns.tick(10e6);
  loop.checkPhase();
  loop.sleep(7e6);
  turns.tick(10e6);
  expect(turns.sleptNs).toBe(7e6 - wakeNs);
});

it('reads whole nanoseconds that never shrink', () => {
  const read = coreWaitReader();
  const values = Array.from({ length: 7 }, read);
  for (const [n, value] of values.entries()) {
    expect(Number.isSafeInteger(value)).toBe(true);
    expect(value).toBeGreaterThanOrEqual(values[n - 1] ?? 0);
  }
});
