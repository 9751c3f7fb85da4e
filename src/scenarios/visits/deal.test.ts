import fc from 'fast-check';
import { expect, it } from 'vitest';
import { share, shareStart } from '../../measure/share.js';
import { dealVisits } from './deal.js';

const dealt = (totalClients: number, visits: number, of: number) =>
  Array.from({ length: of }, (_, index) => {
    const clientCount = share(totalClients, index, of);
    return {
      clientCount,
      ...dealVisits({ firstClient: shareStart(totalClients, index, of), clientCount, totalClients }, visits),
    };
  });

it('every visit is dealt once, whatever the number of workers; everybody else stays', () => {
  fc.assert(
    fc.property(fc.nat(997), fc.nat(997), fc.constantFrom(1, 2, 7, 13), (staying, visits, of) => {
      const parts = dealt(staying + visits, visits, of);
      expect(parts.reduce((sum, each) => sum + each.staying, 0)).toBe(staying);
      expect(parts.every((each) => each.staying + each.visits.length === each.clientCount)).toBe(true);
      const numbers = parts.flatMap((each) => each.visits).sort((a, b) => a - b);
      expect(numbers).toEqual(Array.from({ length: visits }, (_, n) => n));
    }),
  );
});

it('every worker has its share of the visitors that are there together', () => {
  for (const soFar of [53, 211, 503]) {
    const counts = dealt(1009, 997, 7).map(({ visits }) => visits.filter((visit) => visit < soFar).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(4);
  }
});
