import { describe, expect, it } from 'vitest';
import { parseThreshold, thresholdFault } from './threshold.js';

const subjects = {
  metrics: ['handshake', 'tcp'],
  counts: ['lost', 'delivered', 'expected'],
  shares: [{ part: 'delivered', whole: 'expected' }],
};

describe('what is wrong with a text that is no threshold', () => {
  it.each([
    ['handshake.p99<200', 'expected a unit, as in 200ms, received 200 in handshake.p99<200'],
    ['handshake.p99<soon', 'expected a duration such as 250ms, 10s or 1m30s, received soon in handshake.p99<soon'],
    ['delivery.p99<1s', 'expected one of handshake, tcp, received delivery in delivery.p99<1s'],
    ['tcp.p98<1s', 'expected one of p50, p90, p95, p99, p999, min, max, mean, received p98 in tcp.p98<1s'],
    ['tcp<1s', 'expected a figure of it, as in tcp.p99, received tcp in tcp<1s'],
    ['tcp.p99=1s', 'expected one of <, <=, ==, >=, >, received = in tcp.p99=1s'],
    ['gone==0', 'expected one of lost, delivered, expected, received gone in gone==0'],
    ['lost>=99%', 'expected one of delivered where there is a %, received lost in lost>=99%'],
    ['delivered>=x%', 'expected a percentage such as 99.9%, received x% in delivered>=x%'],
    ['lost==0ms', 'expected a whole number such as 1000, 10_000 or 10k, received 0ms in lost==0ms'],
    ['foo', 'expected a name, a sign and a bound such as handshake.p50<200ms, received foo'],
  ])('%s', (text, fault) => {
    expect(parseThreshold(text, subjects)).toBeUndefined();
    expect(thresholdFault(text, subjects)).toBe(fault);
  });
});
