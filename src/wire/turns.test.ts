import { expect, it } from 'vitest';
import { ScriptedLoop } from '../../test/doubles/scripted-loop.js';
import { Turns } from './turns.js';

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
