import { expect, it } from 'vitest';
import { readClockId } from '../../measure/rig/machine.js';
import { Blocks, blocksOf } from '../../measure/samples/blocks.js';
import { summarize } from '../../measure/samples/distribution.js';
import type { CoreWaits } from '../../measure/waits/core-waits.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { waitFacts } from './waits.js';

const latency = scenarioByName('latency') as Scenario;
const units = 101;
const takenUs = 40_000;

const zeroUs = 7_000_000;
const seconds = Array.from({ length: 9 }, (_, second) => zeroUs + second * 1e6);

/** One thread that waits for a third of the time from the third second on, beside a program that takes the core. */
const waits: CoreWaits = {
  zeroUs,
  beganUs: seconds,
  endedUs: seconds,
  waitUs: seconds.map((us) => Math.max(0, us - zeroUs - 2e6) / 3),
  cpuUs: seconds.map(() => 0),
  cores: seconds.map((us) => ({
    ...{ atUs: us, cores: ['cpu0'], busyUs: us - zeroUs, stolenUs: 0, cpuUs: 0 },
    waitUs: Math.max(0, us - zeroUs - 2e6) / 3,
  })),
};

const stages = [
  { name: 'ramp', fromMs: 0, toMs: 2000 },
  { name: 'publish', fromMs: 2000, toMs: 7000 },
  { name: 'drain', fromMs: 7000, toMs: 8000 },
];

function timed(clockId: string) {
  const blocks = new Blocks(units);
  for (let unit = 0; unit < units; unit++) blocks.record(unit, takenUs);
  const bins = blocks.finish();
  const names = ['delivery', 'deliveryAtLeast'];
  const sentAtUs = Uint32Array.from({ length: units }, (_, unit) => zeroUs + 3e6 + unit * 30_000);
  const values = new Uint32Array(units).fill(takenUs);
  return {
    results: [{ clockId }],
    series: { ...Object.fromEntries(names.map((name) => [blocksOf(name), bins])), sentAtUs },
    metrics: { delivery: summarize({ kind: 'raw', values }) },
    stages,
  };
}

it('has the waits of the ramp and of the measured stages apart', () => {
  const facts = waitFacts(latency, timed(readClockId()), waits);
  expect(facts?.ramp).toEqual({ othersMs: 0, windowMs: 2000 });
  expect(facts?.load.windowMs).toBe(6000);
  expect(facts?.load.othersMs).toBeCloseTo(2000, 6);
});

it('has the figures without waits of metrics by broadcast alone, and of as many samples', () => {
  const facts = waitFacts(latency, timed(readClockId()), waits);
  expect(Object.keys(facts?.least ?? {})).toEqual(['delivery']);
  // Readings that are a second apart tell no wait of 40 ms from any other.
  expect(facts?.least.delivery).toMatchObject({ p50: 0, p90: 0, p99: null, max: 0 });
});

it('matches no stamps of another clock, and knows nothing where nobody counted', () => {
  expect(waitFacts(latency, timed('boot-7/time:[11]'), waits)?.least).toEqual({});
  expect(waitFacts(latency, timed(readClockId()), undefined)).toBeUndefined();
});
