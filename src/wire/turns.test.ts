import { beforeEach, expect, it } from 'vitest';
import { ScriptedLoop } from '../../test/doubles/scripted-loop.js';
import { Legs } from './legs.js';
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

let loop: ScriptedLoop;

let legs: Legs;

beforeEach(() => {
  loop = new ScriptedLoop();
  legs = new Legs(3, new Turns(loop, 0));
  legs.begin(1);
});

/** What the client says leaves in a turn of its own. */
function leaves(): void {
  legs.left(1);
  loop.checkPhase();
}

it('has no leg before the first word has left', () => {
  loop.sleep(1009);
  legs.took(1);
  expect(legs.sumNs(1)).toBe(0);
});

it('ends a leg when the answer was readable, not when a blocked loop took it', () => {
  leaves();
  loop.sleep(2003);
  loop.work(50_021);
  legs.took(1);
  expect(legs.sumNs(1)).toBe(2003);
});

it('counts neither the wait for a core nor what the rig did between an answer and its next word', () => {
  leaves();
  loop.sleep(2003);
  loop.waitForCore(70_001);
  legs.took(1);
  loop.work(911);
  leaves();
  loop.sleep(307);
  legs.took(1);
  expect(legs.sumNs(1)).toBe(2003 + 307);
});

it('counts no sleep in which the process was stopped', () => {
  const turns = new Turns(loop, 0);
  legs = new Legs(3, turns);
  for (const took of [() => legs.took(1), () => legs.tookInSteps(1)]) {
    turns.tick(10e6);
    legs.begin(1);
    leaves();
    loop.sleep(3e6);
    turns.tick(10e6);
    loop.checkPhase();
    loop.stop(500e6);
    took();
    expect(legs.sumNs(1)).toBe(3e6);
    loop.checkPhase();
  }
});

it('counts an answer once, however often its turn asks', () => {
  leaves();
  loop.sleep(2003);
  for (let n = 0; n < 3; n++) legs.took(1);
  expect(legs.sumNs(1)).toBe(2003);
});

it('has no leg while what is said waits in the rig', () => {
  leaves();
  legs.held(1);
  loop.sleep(2003);
  legs.took(1);
  loop.checkPhase();
  loop.sleep(307);
  legs.took(1);
  expect(legs.sumNs(1)).toBe(0);
});

it('over unseen answers counts only the time asleep', () => {
  leaves();
  loop.sleep(2003);
  legs.left(2);
  loop.work(50_021);
  loop.checkPhase();
  loop.sleep(307);
  legs.tookInSteps(1);
  expect(legs.sumNs(1)).toBe(2003 + 307);
});

it('begins anew with an attempt, each client by itself', () => {
  leaves();
  loop.sleep(2003);
  legs.took(1);
  legs.begin(1);
  expect([legs.sumNs(1), legs.sumNs(0)]).toEqual([0, 0]);
});
