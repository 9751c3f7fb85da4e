import { expect, it } from 'vitest';
import { SpareDescriptors } from './spare-descriptors.js';

it('holds as many as it is told, until they are released', () => {
  const spare = new SpareDescriptors(7);
  expect(spare.size).toBe(7);
  spare.release();
  expect(spare.size).toBe(0);
  spare.release();
  expect(new SpareDescriptors(0).size).toBe(0);
});
