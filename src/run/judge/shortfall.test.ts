import { describe, expect, it } from 'vitest';
import { latency, scenarioCalled } from '../../../test/scenarios.js';
import { readClockId } from '../../measure/rig/machine.js';
import { Blocks, blocksOf } from '../../measure/samples/blocks.js';
import { summarize } from '../../measure/samples/distribution.js';
import { valueFor } from '../../measure/threshold.js';
import type { CoreWaits } from '../../measure/waits.js';
import { scenarios } from '../../scenarios/list.js';
import { thresholdsOf } from '../plan/thresholds.js';
import { nothingOf, shortfallOf, waitFacts } from './shortfall.js';

/** A scenario, and its thresholds and these ones with their values by these counts. */
function judgedBy(name: string, ledger: Record<string, number>, texts: readonly string[]) {
  const scenario = scenarioCalled(name);
  const thresholds = thresholdsOf(scenario, texts, []).map((each) => ({ ...each, value: valueFor(each, {}, ledger) }));
  return { scenario, thresholds };
}

/** The stop code of a run to its end with these counts, under the thresholds of its scenario and these thresholds. */
function codeOf(name: string, ledger: Record<string, number>, texts: readonly string[] = [], counts = {}) {
  const { scenario, thresholds } = judgedBy(name, ledger, texts);
  return shortfallOf(scenario, { counts, causes: {} }, ledger, thresholds)?.code;
}

const whole = { attempted: 1200, acked: 1200, refused: 0, failed: 0, expected: 8400, delivered: 8400, lost: 0 };
const nothing = { ...whole, delivered: 0, lost: 8400 };

it('a run that delivers what it owes is a success', () => {
  expect(codeOf('latency', whole)).toBeUndefined();
  expect(codeOf('latency', { ...whole, delivered: 1, lost: 8399 })).toBeUndefined();
});

describe('a run without deliveries', () => {
  it.each(['latency', 'throughput', 'echo', 'whisper', 'steps'])('is a failure of %s', (name) => {
    expect(codeOf(name, { ...nothing, answered: 53 })).toBe('nothingDelivered');
    expect(codeOf(name, {})).toBe('nothingDelivered');
  });

  it('is one of steps, too, where nothing was answered', () => {
    expect(codeOf('steps', { delivered: 7, answered: 0, unanswered: 53 })).toBe('nothingDelivered');
    expect(codeOf('steps', { delivered: 7, answered: 1, unanswered: 52 })).toBeUndefined();
  });

  it('is left to a threshold on that count which the run keeps', () => {
    for (const text of ['lost>0', 'lost==8400', 'delivered==0', 'delivered<1%'])
      expect(codeOf('latency', nothing, [text])).toBeUndefined();
    for (const texts of [
      ['lost==0'],
      ['delivered>=99%'],
      ['refused==0'],
      ['delivery.p99<1s'],
      ['lost>0', 'delivered>0'],
    ])
      expect(codeOf('latency', nothing, texts)).toBe('nothingDelivered');
  });

  it('is not expected by a threshold on what is missing where nothing was owed', () => {
    expect(codeOf('echo', { sent: 0, expected: 0, delivered: 0, lost: 0 }, ['lost==0'])).toBe('nothingDelivered');
  });
});

describe('a run of which a part of the publishes was not taken', () => {
  const refused = { ...whole, acked: 600, refused: 600, expected: 4200, delivered: 4200 };
  const failed = { ...whole, acked: 1199, failed: 1, expected: 8393, delivered: 8393 };

  it.each(['latency', 'soak-and-burst', 'throughput'])('falls short in %s', (name) => {
    expect([codeOf(name, refused), codeOf(name, failed)]).toEqual(['publishesShort', 'publishesShort']);
  });

  it('is left to a threshold on that count which the run keeps', () => {
    expect(codeOf('latency', refused, ['refused<=600'])).toBeUndefined();
    expect(codeOf('latency', refused, ['refused<600'])).toBe('publishesShort');
    expect(codeOf('latency', refused, ['failed<=600'])).toBe('publishesShort');
    expect(codeOf('latency', failed, ['failed<2'])).toBeUndefined();
  });

  it('is no failure of the target where the rig itself withheld them', () => {
    expect(codeOf('latency', failed, [], { withheld: 1 })).toBeUndefined();
    expect(codeOf('latency', { ...failed, failed: 2 }, [], { withheld: 1 })).toBe('publishesShort');
  });
});

const said = (name: string, ledger: Record<string, number>, texts: readonly string[] = []) => {
  const { scenario, thresholds } = judgedBy(name, ledger, texts);
  return nothingOf(scenario, ledger, thresholds);
};

it('a run that proved nothing held no connection, or brought no client back', () => {
  expect(said('idle', { opened: 101, held: 0, lost: 101 })).toEqual(['0 held, 101 lost']);
  expect(said('idle', { opened: 101, held: 1, lost: 100 })).toEqual([]);
  expect(said('idle', { opened: 101, held: 0, lost: 101 }, ['held==0'])).toEqual([]);
  expect(said('avalanche', { cut: 53, proven: 0, backUnproven: 13, notBack: 40 })).toEqual([
    '0 proven, 13 backUnproven, 40 notBack',
  ]);
  expect(codeOf('avalanche', { cut: 53, proven: 0, backUnproven: 53 })).toBe('nothingDelivered');
});

it('a run that proved nothing is known of every scenario but connect, which proves what it opens', () => {
  const own = scenarios.filter(({ failures }) => failures === undefined).map(({ name }) => name);
  expect(own).toEqual(['connect']);
});

it('a target that is away by design may leave publishes untaken', () => {
  const strict = scenarios.filter(({ failures }) => failures?.untaken !== undefined).map(({ name }) => name);
  expect(strict.sort()).toEqual(['latency', 'slow-readers', 'soak-and-burst', 'throughput']);
});

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
