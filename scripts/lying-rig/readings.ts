import type { Reading } from './reading.js';

/** For tests: one saturated loop, marked for it. */
export function starvedReading(more: Partial<Reading> = {}): Reading {
  return {
    client: 'library',
    loops: 1,
    shards: 1,
    p50: 127_000,
    p99: 239_000,
    p99Interval: [223_000, 251_000],
    atLeastP50: 41_000,
    atLeastP99: 61_000,
    ackP50: 3070,
    ackMax: 11_300,
    verdict: { rig: 'limited', evidence: [{ rule: 'receive-lag', level: 'limited', text: 'delivery p50 waited' }] },
    ...more,
  };
}

/** For tests: a rig with room. */
export function roomyReading(more: Partial<Reading> = {}): Reading {
  return {
    client: 'wire',
    loops: 2,
    shards: 2,
    p50: 37_000,
    p99: 59_000,
    p99Interval: [53_000, 67_000],
    atLeastP50: 31_000,
    atLeastP99: 53_000,
    ackP50: 2030,
    ackMax: 7010,
    verdict: { rig: 'clean', evidence: [] },
    ...more,
  };
}
