import { expect, it } from 'vitest';
import { pairedComparison } from '../../test/paired-golden.js';
import { paired } from './paired.js';

const kept = pairedComparison({ times: { ws: 1.4, uws: 1 } }).paired;
const read = (...withheld: string[]) => paired.safeParse({ ...kept, withheld }).data?.withheld;

it('why a kept paired comparison claims no order is a code', () => {
  expect(read('tooFewStarts', 'controlApart')).toEqual(['tooFewStarts', 'controlApart']);
  expect(read('no reason')).toBeUndefined();
});
