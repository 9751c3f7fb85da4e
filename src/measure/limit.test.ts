import { describe, expect, it } from 'vitest';
import { parseLimit } from './limit.js';

const metrics = ['handshake', 'tcp'];

describe('a limit', () => {
  it.each([
    ['handshake.p99<53ms', { metric: 'handshake', percentile: 'p99', us: 53_000 }],
    [' tcp.p50 <= 1.5s ', { metric: 'tcp', percentile: 'p50', us: 1_500_000 }],
    ['handshake.p999<0.7ms', { metric: 'handshake', percentile: 'p999', us: 700 }],
    ['handshake.max<1m1s', { metric: 'handshake', percentile: 'max', us: 61_000_000 }],
    ['tcp.mean<7ms', { metric: 'tcp', percentile: 'mean', us: 7000 }],
  ])('reads %j', (text, limit) => {
    expect(parseLimit(text, metrics)).toEqual(limit);
  });

  it.each([
    '',
    'handshake.p99',
    'handshake<53ms',
    'p99<53ms',
    'delivery.p99<53ms',
    'handshake.p98<53ms',
    'handshake.constructor<53ms',
    'handshake.p99>53ms',
    'handshake.p99<53',
    'handshake.p99<53us',
    'handshake.p99<-53ms',
    'handshake.p99<53ms and more',
  ])('is not %j', (text) => {
    expect(parseLimit(text, metrics)).toBeUndefined();
  });
});
