import { describe, expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { parseThreshold, thresholdFault } from './threshold.js';

const subjects = {
  metrics: ['handshake', 'tcp'],
  counts: ['lost', 'delivered', 'expected'],
  shares: [{ part: 'delivered', whole: 'expected' }],
};

describe('what is wrong with a text that is no threshold', () => {
  it.each([
    ['handshake.p99<200', 'unit', '200ms', 'received 200 in'],
    ['handshake.p99<soon', 'a duration', 'received soon in'],
    ['delivery.p99<1s', 'handshake, tcp,', 'received delivery in'],
    ['tcp.p98<1s', 'p50, p90, p95, p99, p999, min, max, mean,', 'received p98 in'],
    ['tcp<1s', 'figure', 'tcp.p99', 'received tcp in'],
    ['tcp.p99=1s', '<, <=, ==, >=, >,', 'received = in'],
    ['gone==0', 'lost, delivered, expected,', 'received gone in'],
    ['lost>=99%', 'one of delivered', '%', 'received lost in'],
    ['delivered>=x%', 'a percentage', 'received x% in'],
    ['lost==0ms', 'a whole number', 'received 0ms in'],
    ['foo', 'handshake.p50<200ms', 'received foo'],
  ])('%s', (text, ...names) => {
    expect(parseThreshold(text, subjects)).toBeUndefined();
    expect(thresholdFault(text, subjects)).toEqual(naming(...names, text));
  });
});
