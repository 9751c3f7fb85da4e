import { expect, it } from 'vitest';
import { nowNs } from '../measure/rig/clock.js';
import { Seconds } from './seconds.js';

it('a second without figures passes its worst loop delay on to the next', () => {
  const startedNs = nowNs();
  const sent = [
    { sentNs: 0, loopDelayMs: 97 },
    { sentNs: startedNs + 1e9, loopDelayMs: 3 },
    { sentNs: startedNs + 2e9, loopDelayMs: 5 },
  ];
  const seconds = new Seconds({ second: () => ({ progress: {}, bins: [], ...sent.shift()! }) }, startedNs, 30_000);
  for (let n = 0; n < 3; n++) seconds.end();
  expect(seconds.recent.map(({ rig }) => rig.loopDelayMs)).toEqual([97, 5]);
});
