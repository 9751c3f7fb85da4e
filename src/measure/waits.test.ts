import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../test/law.js';
import { Blocks } from './samples/blocks.js';
import { percentile } from './samples/distribution.js';
import { type CoreReading, type CoreWaits, waitedIn, withoutWaits } from './waits.js';

/** Each second what happened on two cores: what others and the target held, and what its threads waited, in seconds. */
function during(...seconds: { others: number; target: number; waited: number; cores?: string[]; stolen?: number }[]) {
  const zeroUs = 7_000_000;
  const cores: CoreReading[] = [{ atUs: zeroUs, cores: ['cpu0', 'cpu1'], busyUs: 0, stolenUs: 0, waitUs: 0, cpuUs: 0 }];
  for (const { others, target, waited, stolen = 0, cores: names } of seconds) {
    const { atUs, busyUs, stolenUs, waitUs, cpuUs, cores: before } = cores.at(-1)!;
    cores.push({
      atUs: atUs + 1e6,
      cores: names ?? before,
      busyUs: busyUs + (others + target) * 1e6,
      stolenUs: stolenUs + stolen * 1e6,
      waitUs: waitUs + waited * 1e6,
      cpuUs: cpuUs + target * 1e6,
    });
  }
  return { zeroUs, cores };
}

const eightThreadsAlone = { others: 0, target: 2, waited: 6 };
const oneBesideTwoBurners = { others: 1.4, target: 0.6, waited: 0.4 };
const idle = { others: 2, target: 0, waited: 0 };

describe('what a target waits for others', () => {
  const uneven = { others: 0.02, target: 1.98, waited: 6 };

  it.each([
    ['nothing for eight busy threads alone on two cores', [eightThreadsAlone, eightThreadsAlone], 0],
    ['nothing where the counts of the cores differ by their grain', [uneven, uneven], 0],
    ['the whole wait of one thread beside two burners', [oneBesideTwoBurners], 400],
    ['nothing for an idle target', [idle, idle], 0],
    ['at most what others held, less one tick of each core', [{ others: 0.32, target: 1.68, waited: 6 }], 300],
    ['not of what others held at another time', [idle, eightThreadsAlone, oneBesideTwoBurners], 400],
    ['nothing for certain on other cores', [{ ...oneBesideTwoBurners, cores: ['cpu1'] }], 0],
    ['nothing that the hypervisor took', [{ others: 0, target: 0.5, waited: 0.5, stolen: 0.5 }], 0],
  ])('is %s', (_what, seconds, othersMs) => {
    const waited = waitedIn(during(...seconds), 0, seconds.length * 1000);
    expect(waited.othersMs).toBeCloseTo(othersMs, 6);
    expect(waited.windowMs).toBe(seconds.length * 1000);
  });

  it('is of the window alone, as far as that was read', () => {
    const { othersMs, windowMs } = waitedIn(during(oneBesideTwoBurners, idle), 750, 4000);
    expect([othersMs, windowMs].map(Math.round)).toEqual([100, 1250]);
  });
});

const startUs = 3 * 2 ** 32 - 1_000_000;
const everyUs = 25_000;
/** Of the clock by which the kernel counts a thread that runs. */
const tickUs = 4000;

/** When the only thread of a server waited for its core. */
interface Wait {
  fromUs: number;
  toUs: number;
}

interface Served {
  sentUs: number;
  doneUs: number;
}

/** One thread that works on publishes in their order, with and without its waits. */
function serve(sentUs: readonly number[], workUs: number, waits: readonly Wait[]): Served[] {
  let freeUs = 0;
  return sentUs.map((sent) => {
    let nowUs = Math.max(sent, freeUs);
    let leftUs = workUs;
    for (const { fromUs, toUs } of waits) {
      if (toUs <= nowUs || nowUs + leftUs <= fromUs) continue;
      leftUs -= Math.max(0, fromUs - nowUs);
      nowUs = toUs;
    }
    freeUs = nowUs + leftUs;
    return { sentUs: sent, doneUs: freeUs };
  });
}

/** What a reader of `/proc` sees: a wait counts when it ends and the thread had work, and running at each tick. */
function readings(served: readonly Served[], waits: readonly Wait[], untilUs: number): CoreWaits {
  const beganUs: number[] = [];
  for (let us = startUs; us <= untilUs + 2 * everyUs; us += everyUs) beganUs.push(us);
  const endedUs = beganUs.map((us) => us + 100);
  const busy = served.map(({ sentUs, doneUs }, at) => ({
    fromUs: Math.max(sentUs, served[at - 1]?.doneUs ?? 0),
    toUs: doneUs,
  }));
  const waited = waits.flatMap((wait) =>
    busy.flatMap((span) => {
      const [fromUs, toUs] = [Math.max(wait.fromUs, span.fromUs), Math.min(wait.toUs, span.toUs)];
      return toUs > fromUs ? [{ us: toUs - fromUs, atUs: toUs }] : [];
    }),
  );
  const sumUntil = (us: number) => waited.reduce((sum, each) => sum + (each.atUs <= us ? each.us : 0), 0);
  const waitUs = endedUs.map(sumUntil);
  const within = (spans: readonly Wait[], us: number): number =>
    spans.reduce((sum, { fromUs, toUs }) => sum + Math.max(0, Math.min(toUs, us) - fromUs), 0);
  const waiting = waited.map(({ us, atUs }) => ({ fromUs: atUs - us, toUs: atUs }));
  const cpuUs = beganUs.map((us) => {
    const tickAtUs = busy.some(({ fromUs, toUs }) => fromUs < us && us < toUs) ? us - (us % tickUs) : us;
    return within(busy, tickAtUs) - within(waiting, tickAtUs);
  });
  return { zeroUs: startUs, beganUs, endedUs, waitUs, cpuUs, cores: [] };
}

function blocksOf(served: readonly Served[], lessUs = 0): Uint32Array {
  const blocks = new Blocks(served.length);
  served.forEach(({ sentUs, doneUs }, unit) => void blocks.record(unit, Math.max(0, doneUs - sentUs - lessUs)));
  return blocks.finish();
}

const stamps = (sentUs: readonly number[]): Uint32Array => Uint32Array.from(sentUs, (us) => us % 2 ** 32);

function leastOf(sentUs: readonly number[], workUs: number, waits: readonly Wait[]) {
  const served = serve(sentUs, workUs, waits);
  const read = readings(served, waits, served.at(-1)!.doneUs);
  const whole = blocksOf(served);
  return { served, read, least: withoutWaits(read, { sentAtUs: stamps(sentUs), whole, least: whole }) };
}

const sentEvery = (us: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => startUs + 60_000 + at * us);

describe('a figure without the waits of the target', () => {
  const shares = [0.01, 0.5, 0.9, 0.99, 1];

  it('is never more than the server takes alone, whatever it waits', () => {
    const wait = fc.record({
      fromUs: fc.integer({ min: 0, max: 2_000_000 }),
      us: fc.integer({ min: 1, max: 200_000 }),
    });
    law.with(
      { numRuns: 100 },
      fc.integer({ min: 3000, max: 40_000 }),
      fc.integer({ min: 100, max: 20_000 }),
      fc.array(wait, { maxLength: 23 }),
      (periodUs, workUs, drawn) => {
        const waits: Wait[] = [];
        for (const { fromUs, us } of drawn.toSorted((a, b) => a.fromUs - b.fromUs)) {
          const from = Math.max(startUs + fromUs, waits.at(-1)?.toUs ?? 0);
          waits.push({ fromUs: from, toUs: from + us });
        }
        const sentUs = sentEvery(periodUs, 97);
        const { least } = leastOf(sentUs, workUs, waits);
        const alone = serve(sentUs, workUs, []).map(({ sentUs: sent, doneUs }) => doneUs - sent);
        const own = { kind: 'raw', values: Uint32Array.from(alone.toSorted((a, b) => a - b)) } as const;
        for (const share of shares) expect(percentile(least!, share)!).toBeLessThanOrEqual(percentile(own, share)!);
      },
    );
  });

  it('loses nothing where nothing waited, but the grain of its bins', () => {
    const { least } = leastOf(sentEvery(20_000, 53), 7000, []);
    expect(percentile(least!, 0.5)).toBeGreaterThan(7000 / 1.02);
  });

  it('loses a wait where it was, and nothing elsewhere', () => {
    const sentUs = sentEvery(100_000, 53);
    const wait = { fromUs: sentUs[31]! + 1000, toUs: sentUs[31]! + 51_000 };
    const { served, least } = leastOf(sentUs, 7000, [wait]);
    expect(served[31]!.doneUs - served[31]!.sentUs).toBe(57_000);
    expect(percentile(least!, 1)).toBeLessThanOrEqual(7000);
    expect(percentile(least!, 0.5)).toBeGreaterThan(7000 / 1.02);
  });

  it('loses no more than others held of the cores', () => {
    const sentUs = sentEvery(100_000, 53);
    const wait = { fromUs: sentUs[31]! + 1000, toUs: sentUs[31]! + 51_000 };
    const { served, read } = leastOf(sentUs, 7000, [wait]);
    const common = { cores: ['cpu0', 'cpu1'], stolenUs: 0, waitUs: 0, cpuUs: 0 };
    const busy = [0, 10_000].map((busyUs, at) => ({ ...common, atUs: startUs + at * 9e6, busyUs }));
    const whole = blocksOf(served);
    const timed = { sentAtUs: stamps(sentUs), whole, least: whole };
    // One tick, and one more of each core for the grain of the counts.
    expect(percentile(withoutWaits({ ...read, cores: busy }, timed)!, 1)).toBeGreaterThan((57_000 - 30_000) / 1.02);
  });

  it('keeps what the rig may have added out of it', () => {
    const sentUs = sentEvery(100_000, 53);
    const { served, read } = leastOf(sentUs, 7000, []);
    const timed = { sentAtUs: stamps(sentUs), whole: blocksOf(served), least: blocksOf(served, 3000) };
    expect(percentile(withoutWaits(read, timed)!, 1)).toBeLessThanOrEqual(4000);
  });

  it('is unknown where the readings do not cover the broadcasts, and where nothing was sent', () => {
    const { served, read } = leastOf(sentEvery(20_000, 53), 7000, []);
    const whole = blocksOf(served);
    const late = { sentAtUs: stamps(sentEvery(20_000, 53).map((us) => us + 60e6)), whole, least: whole };
    expect(withoutWaits(read, late)).toBeUndefined();
    expect(withoutWaits(read, { sentAtUs: new Uint32Array(53), whole, least: whole })).toBeUndefined();
  });
});
