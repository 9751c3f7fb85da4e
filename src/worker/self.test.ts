import { expect, it, vi } from 'vitest';
import { readProcText } from '../measure/rig/machine.js';
import { SelfMeasure } from './self.js';

vi.mock('../measure/rig/machine.js', () => ({ readProcText: vi.fn() }));

type Reading = [cpuMs: number, waitMs: number] | undefined;

/** CPU and core waits of a loop under load, a pair per look; undefined if the kernel's figures can't be read. */
function measured(...readings: Reading[]): (number | null)[] {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'linux' } }));
  const self = new SelfMeasure();
  readings.forEach((reading, received) => {
    vi.mocked(readProcText).mockReturnValueOnce(reading && `${reading[0] * 1e6} ${reading[1] * 1e6} 7`);
    if (received === 0) self.start({ received });
    else self.look({ received });
  });
  vi.unstubAllGlobals();
  const { cpuMs, runQueueWaitMs } = self.measured;
  return [cpuMs, runQueueWaitMs];
}

it('takes the last good reading where there is no descriptor for another', () => {
  expect(measured([503, 7], [509, 11], undefined, undefined, [523, 29])).toEqual([20, 22]);
  expect(measured([503, 7], [509, 11], undefined)).toEqual([6, 4]);
});

it('knows nothing without a first reading', () => {
  expect(measured(undefined, [509, 11])).toEqual([null, null]);
});

it('says nothing of a loop that never had a load', () => {
  const self = new SelfMeasure();
  self.start({});
  for (let n = 1; n < 7; n++) self.tick(performance.now() + n * 97);
  self.look({});
  self.halt({});
  expect(self.measured).toMatchObject({ windowMs: 0, loopDelayP99Ms: 0, loopDelayMaxMs: 0, utilization: 0 });
});
