import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MetricSample, parseExposition } from './prometheus.js';

const plain = (name: string, value: number, labels: Record<string, string> = {}): MetricSample => ({
  name,
  labels: Object.assign(Object.create(null), labels),
  value,
});

describe('a page of metrics', () => {
  it('is read past its comments and empty lines', () => {
    const page = `
# HELP anycable_go_clients_num The number of active clients
# TYPE anycable_go_clients_num gauge
anycable_go_clients_num 7

#no comment without a mark
  http_requests_total { method = "post" , code="200", }  1027 1395066363000
`;
    expect(parseExposition(page)).toEqual([
      plain('anycable_go_clients_num', 7),
      plain('http_requests_total', 1027, { method: 'post', code: '200' }),
    ]);
  });

  it.each([
    ['a 1.5e+3', 1500],
    ['a -.5', -0.5],
    ['a 3.', 3],
    ['a{} +Inf', Number.POSITIVE_INFINITY],
    ['a -Inf -3982045', Number.NEGATIVE_INFINITY],
    ['a\tNaN', Number.NaN],
    ['a 7\r', 7],
    [':a:b 7', 7],
  ])('has the value of %j', (line, value) => {
    expect(parseExposition(`${line}\n`)[0]?.value).toBe(value);
  });

  it('has escapes in labels, and brackets and commas as they are', () => {
    expect(parseExposition('a{path="C:\\\\DIR",error="\\"no\\",\\n}{"} 7\n')).toEqual([
      plain('a', 7, { path: 'C:\\DIR', error: '"no",\n}{' }),
    ]);
  });

  it('keeps a label that bears the name of something every object has', () => {
    const [sample] = parseExposition('a{__proto__="7"} 1\n');
    expect(Object.entries(sample!.labels)).toEqual([['__proto__', '7']]);
  });

  it.each([
    '7 a',
    'a',
    'a b',
    'a 7 8 9',
    'a 7 1.5',
    'a {b="7" 7',
    'a{b=7} 7',
    'a{b="7"c="8"} 7',
    'a{,} 7',
    'a{b="\\t"} 7',
    'a{1b="7"} 7',
    'a-b 7',
    'a7',
    'a 0x7',
    'a Infinity',
    '<html>',
  ])('is refused whole for the line %j, which is named', (line) => {
    expect(() => parseExposition(`good 7\n${line}\n`)).toThrow(/^line 2\b/);
  });

  it('is refused when it breaks off', () => {
    expect(() => parseExposition('a 7\nb 12')).toThrow('breaks off');
    expect(parseExposition('')).toEqual([]);
  });

  const name = fc.stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]{0,17}$/);
  const labelName = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,11}$/);
  const sample = fc.record({
    name,
    labels: fc.dictionary(labelName, fc.string({ unit: 'binary' })),
    value: fc.double(),
    stamp: fc.option(fc.integer(), { nil: undefined }),
  });
  const escaped = (text: string): string => text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
  const number = (value: number): string => String(value).replace('Infinity', 'Inf');

  it('is read as it was written, whatever names, labels and values it has', () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 11 }), (samples) => {
        const lines = samples.map(({ name, labels, value, stamp }) => {
          const pairs = Object.entries(labels).map(([key, each]) => `${key}="${escaped(each)}"`);
          const braces = pairs.length > 0 ? `{${pairs.join(',')}}` : '';
          return `${name}${braces} ${number(value)}${stamp === undefined ? '' : ` ${stamp}`}\n`;
        });
        const expected = samples.map(({ name, labels, value }) => plain(name, value, labels));
        expect(parseExposition(lines.join('')).map(entries)).toEqual(expected.map(entries));
      }),
    );
  });

  it('gives, cut anywhere, the whole lines before the cut, or is refused', () => {
    const page = 'a 7\n# HELP b\nb{c="d\\"e"} 11.5\nc 13 1700000000007\n';
    const whole = parseExposition(page);
    for (let cut = 0; cut < page.length; cut++) {
      const part = page.slice(0, cut);
      if (part === '' || part.endsWith('\n'))
        expect(whole.slice(0, parseExposition(part).length)).toEqual(parseExposition(part));
      else expect(() => parseExposition(part)).toThrow();
    }
  });
});

/** As data: -0 is written as 0, and no test of equality is to stumble over it. */
function entries({ name, labels, value }: MetricSample): unknown[] {
  return [name, Object.entries(labels), value + 0];
}
