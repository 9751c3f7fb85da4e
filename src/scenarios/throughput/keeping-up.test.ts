import { describe, expect, it } from 'vitest';
import { summarize } from '../../measure/samples/distribution.js';
import { keepingUp } from './keeping-up.js';
import { type ThroughputOptions, throughputOptions } from './options.js';

interface Ran {
  /** The p50 of each second, in milliseconds. */
  seconds: number[];
  lastMs?: number;
  ledger?: object;
  /** What the marks leave of every p50. */
  leastUs?: number;
  options?: Partial<ThroughputOptions>;
}

/** What is said of a run at 200/s, of as many seconds as medians. */
function said({ seconds, lastMs = 9, ledger = {}, leastUs, options = {} }: Ran): string | undefined {
  const rate = { ratePerSecond: 200, durationMs: seconds.length * 1000 };
  const of = (ms: number) => summarize({ kind: 'raw', values: new Uint32Array(1009).fill(ms * 1000) });
  const p50 = of(seconds.toSorted((a, b) => a - b)[Math.floor(seconds.length / 2)] as number);
  const counts = { attempted: seconds.length * 200, acked: 1000, expected: 7000, lost: 0, latePublishes: 0 };
  return keepingUp(
    { delivery: p50, deliveryFromIntended: p50, deliveryAtLeast: p50, publishLag: of(0), drain: of(lastMs) },
    { ...counts, offeredPerSecond: 200, achievedPerSecond: 199.9, ...ledger },
    (us) => String(us),
    {
      options: throughputOptions.parse({ ...rate, ...options }),
      reading: () => null,
      medians: () => seconds.map((ms, at) => [812 + at * 1000, ms * 1000]),
      leastUs: (_metric, figure) => (figure === 'p50' ? leastUs : undefined),
    },
  );
}

const grown = (from: number, byMs: number, all = 5): number[] =>
  Array.from({ length: all }, (_, at) => 7 + Math.max(0, at + 0.5 - from) * byMs);

describe('whether the server keeps up with the rate', () => {
  it('is yes where deliveries come no later from second to second', () => {
    expect(said({ seconds: [7, 9, 8, 31, 7] })).toContain('keeps up with 200/s for all 5s');
    expect(said({ seconds: [7, 8] })).toContain('keeps up with 200/s for all 2s');
    expect(said({ seconds: [7, 8, 7, 8, 7], ledger: { attempted: 341 } })).toContain('for all 1.7s');
    expect(said({ seconds: [7, 8, 7, 8, 7], ledger: { achievedPerSecond: 151 } })).toContain('151/s that it was sent');
  });

  it('is no where they come ever later, with by how much and since when', () => {
    const whole = said({ seconds: grown(0, 250), lastMs: 1259 });
    for (const part of ['does not keep up with 200/s', 'from the first second', '250.0 ms later'])
      expect(whole).toContain(part);
    const late = said({ seconds: grown(4, 250, 10), lastMs: 1500 });
    for (const part of ['does not keep up', 'it does for 4s, then its backlog grows']) expect(late).toContain(part);
  });

  it('is no where it loses, or a backlog is left at the end', () => {
    expect(said({ seconds: [7, 7, 7, 7, 7], ledger: { lost: 700 } })).toContain('700 of 7,000');
    expect(said({ seconds: [7, 7], lastMs: 811 })).toContain('to drain');
  });

  it('is open where the marks leave nothing of the growth', () => {
    expect(said({ seconds: grown(0, 250), leastUs: 0 })).toContain('Undecided whether');
    expect(said({ seconds: grown(0, 250), leastUs: 600_000 })).toContain('does not keep up');
  });

  it('is not read from latency where visitors come and go, and not at all where nobody times deliveries', () => {
    expect(said({ seconds: grown(0, 250), options: { stages: '2s:20' } })).toContain('keeps up');
    expect(said({ seconds: grown(0, 250), options: { publish: 'batches' } })).toBeUndefined();
  });
});
