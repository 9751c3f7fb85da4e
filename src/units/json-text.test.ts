import { expect, it } from 'vitest';
import { jsonIn, objectIn } from './json-text.js';

it('reads any JSON, and nothing else', () => {
  expect(['null', '[1]', '"a"', '17'].map(jsonIn)).toEqual([null, [1], 'a', 17]);
  expect(['', 'garbage', '{"cut":'].map(jsonIn)).toEqual([undefined, undefined, undefined]);
});

it('gives objects and nothing else', () => {
  expect(objectIn('{"type":"welcome"}')).toEqual({ type: 'welcome' });
  for (const text of ['', 'garbage', '[1]', 'null', '"text"', '17', '{"cut":']) expect(objectIn(text)).toBeUndefined();
});
