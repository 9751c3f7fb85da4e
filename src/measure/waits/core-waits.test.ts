import { describe, expect, it } from 'vitest';
import { type CoreReading, waitedIn } from './core-waits.js';

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
  it('is nothing for eight busy threads alone on two cores: they wait for one another', () => {
    expect(waitedIn(during(eightThreadsAlone, eightThreadsAlone), 0, 2000)).toEqual({ othersMs: 0, windowMs: 2000 });
  });

  it('is nothing where the counts of the cores differ by their grain', () => {
    const uneven = { others: 0.02, target: 1.98, waited: 6 };
    expect(waitedIn(during(uneven, uneven), 0, 2000).othersMs).toBeCloseTo(0, 6);
  });

  it('is the whole wait of one thread beside two burners', () => {
    expect(waitedIn(during(oneBesideTwoBurners), 0, 1000).othersMs).toBeCloseTo(400, 6);
  });

  it('is nothing for an idle target', () => {
    expect(waitedIn(during(idle, idle), 0, 2000).othersMs).toBe(0);
  });

  it('is at most what others held, less one tick of each core', () => {
    expect(waitedIn(during({ others: 0.32, target: 1.68, waited: 6 }), 0, 1000).othersMs).toBeCloseTo(300, 6);
  });

  it('does not lend what others held at one time to waits of another', () => {
    const waited = waitedIn(during(idle, eightThreadsAlone, oneBesideTwoBurners), 0, 3000);
    expect(waited.othersMs).toBeCloseTo(400, 6);
  });

  it('is of the window alone, as far as that was read', () => {
    const { othersMs, windowMs } = waitedIn(during(oneBesideTwoBurners, idle), 750, 4000);
    expect([othersMs, windowMs].map(Math.round)).toEqual([100, 1250]);
  });

  it('is nothing for certain while the target moves to other cores, and nothing that the hypervisor took', () => {
    expect(waitedIn(during({ ...oneBesideTwoBurners, cores: ['cpu1'] }), 0, 1000).othersMs).toBe(0);
    expect(waitedIn(during({ others: 0, target: 0.5, waited: 0.5, stolen: 0.5 }), 0, 1000).othersMs).toBe(0);
  });
});
