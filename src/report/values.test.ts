import { expect, it } from 'vitest';
import { countInWords, valueInWords } from './values.js';

it('says a count or a rate with the digits that it has', () => {
  const said = [0, 7, 10_031, 99.823_1, 10_025.272, -3.456, 0.004].map(countInWords);
  expect(said).toEqual(['0', '7', '10,031', '99.82', '10,025.3', '-3.46', '0']);
});

it('says of each kind what it is', () => {
  expect(valueInWords('figure', 5003)).toBe('5.00');
  expect(valueInWords('count', 100.177)).toBe('100.2');
  expect(valueInWords('share', 1)).toBe('100 %');
  expect(valueInWords('footprint', 51_203.7)).toBe('51,204');
  expect(valueInWords('count', null)).toBe('–');
});
