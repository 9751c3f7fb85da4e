import { expect, it } from 'vitest';
import { nowNs } from '../measure/rig/clock.js';
import { Seconds } from './seconds.js';

it('keeps the worst loop delay of seconds in which nothing was told for the next', () => {
  const startedNs = nowNs();
  const told = [
    { toldNs: 0, loopDelayMs: 97 },
    { toldNs: startedNs + 1e9, loopDelayMs: 3 },
    { toldNs: startedNs + 2e9, loopDelayMs: 5 },
  ];
  const seconds = new Seconds({ second: () => ({ progress: {}, bins: [], ...told.shift()! }) }, startedNs, 30_000);
  for (let n = 0; n < 3; n++) seconds.end();
  expect(seconds.recent.map(({ rig }) => rig.loopDelayMs)).toEqual([97, 5]);
});
