import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longestOf, sumCauses, sumCounts, sumSeries, sumTimelines } from './sample-sum.js';

const names = fc.constantFrom('reset', 'close-code:1006', 'http-status:503', 'tls:CERT_HAS_EXPIRED');
const counts = fc.dictionary(names, fc.nat({ max: 1_000_003 }));
const causes = fc.dictionary(fc.constantFrom('connect', 'close', 'publish'), counts);
const length = 11;
const series = fc.dictionary(
  fc.constantFrom('acked', 'delivered', 'missing'),
  fc.uint32Array({ minLength: length, maxLength: length, max: 1_000_003 }),
);

const timeline = fc.dictionary(
  fc.constantFrom('opened', 'closed reset', 'failed http-status:503'),
  fc.array(fc.nat({ max: 1_000_003 }), { maxLength: length }),
);

const laws = [
  ['sumCounts', sumCounts, counts],
  ['longestOf', longestOf, counts],
  ['sumCauses', sumCauses, causes],
  ['sumSeries', sumSeries, series],
  ['sumTimelines', sumTimelines, timeline],
] as unknown as [string, (list: readonly unknown[]) => unknown, fc.Arbitrary<unknown>][];

describe.each(laws)('%s', (_name, sum, each) => {
  const lists = fc.array(each, { maxLength: 7 });

  it('does not depend on order', () => {
    fc.assert(
      fc.property(lists, (list) => {
        expect(sum(list.toReversed())).toEqual(sum(list));
      }),
    );
  });

  it('does not depend on how the parts are grouped', () => {
    fc.assert(
      fc.property(lists, fc.nat({ max: 7 }), (list, at) => {
        expect(sum([sum(list.slice(0, at)), sum(list.slice(at))])).toEqual(sum(list));
      }),
    );
  });

  it('of nothing adds nothing', () => {
    expect(sum([])).toEqual({});
    fc.assert(
      fc.property(each, (one) => {
        expect(sum([{}, one, {}])).toEqual(one);
      }),
    );
  });
});

it('adds counts, by cause and by place', () => {
  expect(sumCounts([{ acked: 7, late: 1 }, { acked: 5 }])).toEqual({ acked: 12, late: 1 });
  expect(sumCauses([{ close: { reset: 2 } }, { close: { reset: 3, ours: 1 }, connect: { tls: 1 } }])).toEqual({
    close: { reset: 5, ours: 1 },
    connect: { tls: 1 },
  });
  expect(sumSeries([{ acked: Uint32Array.of(1, 0, 2) }, { acked: Uint32Array.of(0, 3, 5) }])).toEqual({
    acked: Uint32Array.of(1, 3, 7),
  });
});

it('adds events second by second, of those that ended sooner none', () => {
  const parts = [{ opened: [7, 11] }, { opened: [0, 0, 5], 'closed reset': [0, 3] }, {}];
  expect(sumTimelines(parts)).toEqual({ opened: [7, 11, 5], 'closed reset': [0, 3] });
  expect(parts[0]).toEqual({ opened: [7, 11] });
});

it('leaves what it adds as it was', () => {
  const first = { acked: Uint32Array.of(1, 2) };
  const total = sumSeries([first, { acked: Uint32Array.of(3, 5) }]);
  expect([...first.acked]).toEqual([1, 2]);
  expect([...(total.acked ?? [])]).toEqual([4, 7]);
});

it('throws on series of different length under one name', () => {
  expect(() => sumSeries([{ acked: new Uint32Array(7) }, { acked: new Uint32Array(11) }])).toThrow(
    'series acked: 11 values beside 7',
  );
});
