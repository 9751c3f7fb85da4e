import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../../test/golden-result.js';
import { goldenComparison, goldenRun, latency } from '../../../test/kept-golden.js';
import type { Samples } from '../../measure/samples/samples.js';
import { canHold, firstMetric, formats } from './formats.js';

const samples = async (): Promise<Samples> => ({ kind: 'raw', values: Uint32Array.of(211, 743) });

describe('the forms of export', () => {
  it('have a name and a suffix of their own', () => {
    for (const key of ['name', 'suffix'] as const)
      expect(new Set(formats.map((format) => format[key])).size).toBe(formats.length);
    for (const { holds } of formats) expect(holds).toMatch(/^\S[^|]+[^\s.]$/);
  });

  it.each(formats)('as $name give text that ends with its last line', async (format) => {
    const source = { kept: goldenResult(), scenario: latency, metrics: ['delivery'], samples };
    const text: string[] = [];
    for await (const piece of format.write({ ...source, independent: () => undefined, unfinished: () => 0 }))
      text.push(piece);
    expect(text.join('')).toMatch(/^\S*[\s\S]+\S\n$/);
  });

  it('hold comparisons where they say so', () => {
    const comparison = goldenComparison([goldenRun('ws', 1)]);
    const able = formats.filter((format) => canHold(format, comparison)).map(({ name }) => name);
    expect(able).toEqual(['junit', 'markdown']);
    expect(formats.every((format) => canHold(format, goldenResult()))).toBe(true);
  });
});

it('takes the first metric of the headline that has samples', () => {
  expect(firstMetric(goldenResult(), latency)).toBe('delivery');
  expect(firstMetric(goldenResult({ samples: {} }), latency)).toBeUndefined();
});
