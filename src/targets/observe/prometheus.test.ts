import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { type MetricSample, PrometheusMapping, parseExposition } from './prometheus.js';

/** What a mapping makes of pages that come two seconds apart. */
function readAll(...pages: string[]) {
  const mapping = new PrometheusMapping();
  return pages.map((page, index) => mapping.readings(parseExposition(`${page}\n`), index * 2000));
}

describe('a page', () => {
  it('of Go and of Node gives what is known of it, in the units of the table', () => {
    const page = `process_resident_memory_bytes 1.048576e+06
process_open_fds 19
process_max_fds 1009
go_goroutines 37
go_threads 11
go_gc_duration_seconds{quantile="0.5"} 0.1
nodejs_eventloop_lag_p99_seconds 0.013
soketi_connected{app_id="app-id",port="6001"} 53
anycable_go_mem_sys_bytes NaN
toString 7`;
    expect(readAll(page)[0]).toEqual({
      endings: [],
      values: [
        { name: 'rssBytes', value: 1_048_576 },
        { name: 'descriptors', value: 19 },
        { name: 'descriptorLimit', value: 1009 },
        { name: 'goroutines', value: 37 },
        { name: 'threads', value: 11 },
        { name: 'eventLoopDelayP99Ms', value: 13 },
        { name: 'connections', value: 53 },
      ],
    });
  });

  it('gives CPU as growth of its total', () => {
    const [first, second] = readAll('process_cpu_seconds_total 1.25', 'process_cpu_seconds_total 2.75');
    expect(first).toEqual({ endings: [], values: [] });
    expect(second).toEqual({ endings: [], values: [{ name: 'cpuPercent', value: 75 }] });
  });

  it('tells by a total that fell that the process is another', () => {
    const page = (total: number): string => `process_cpu_seconds_total ${total}\nprocess_open_fds 19`;
    const [, second, third] = readAll(page(7), page(0.5), page(1));
    expect(second?.endings).toEqual([{ because: expect.any(String) }]);
    expect(second?.values).toEqual([{ name: 'descriptors', value: 19 }]);
    expect(third).toMatchObject({ endings: [], values: [{ name: 'cpuPercent', value: 25 }, {}] });
  });

  it('adds up what several processes count, and takes the worst of their delays', () => {
    const page = `process_open_fds{pid="7"} 19
process_open_fds{pid="11"} 23
nodejs_eventloop_lag_p99_seconds{pid="7"} 0.002
nodejs_eventloop_lag_p99_seconds{pid="11"} 0.007`;
    expect(readAll(page)[0]?.values).toEqual([
      { name: 'descriptors', value: 42 },
      { name: 'eventLoopDelayP99Ms', value: 7 },
    ]);
  });

  it('of anycable-go says nothing before its gauges are filled, and may then say zero', () => {
    const page = (goroutines: number): string =>
      `anycable_go_clients_num 0\nanycable_go_goroutines_num ${goroutines}\n` +
      `anycable_go_mem_sys_bytes ${goroutines * 1000}`;
    const [cold, warm] = readAll(page(0), page(79));
    expect(cold).toEqual({ endings: [], values: [] });
    expect(warm?.values).toEqual([
      { name: 'connections', value: 0 },
      { name: 'goroutines', value: 79 },
      { name: 'runtimeMemoryBytes', value: 79_000 },
    ]);
  });

  it('takes one of two names for the same', () =>
    expect(readAll('go_goroutines 83\nanycable_go_goroutines_num 79')[0]?.values).toEqual([
      { name: 'goroutines', value: 83 },
    ]));

  it('is a failure when nothing on it is known', () => expect(() => readAll('up 1')).toThrow(/metric/));
});

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
  ])('has the value of %j', (line, value) => expect(parseExposition(`${line}\n`)[0]?.value).toBe(value));

  it('keeps a label that bears the name of something every object has', () => {
    const [sample] = parseExposition('a{__proto__="7"} 1\n');
    expect(Object.entries(sample!.labels)).toEqual([['__proto__', '7']]);
  });

  it.each([
    ...['7 a', 'a', 'a b', 'a 7 8 9', 'a 7 1.5', 'a {b="7" 7', 'a{b=7} 7', 'a{b="7"c="8"} 7', 'a{,} 7', 'a{b="\\t"} 7'],
    ...['a{1b="7"} 7', 'a-b 7', 'a7', 'a 0x7', 'a Infinity', '<html>'],
  ])('is refused whole for the line %j, which is named', (line) =>
    expect(() => parseExposition(`good 7\n${line}\n`)).toThrow(/^line 2\b/),
  );

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

  it('is read as it was written, whatever names, labels and values it has', () =>
    law(fc.array(sample, { maxLength: 11 }), (samples) => {
      const lines = samples.map(({ name, labels, value, stamp }) => {
        const pairs = Object.entries(labels).map(([key, each]) => `${key}="${escaped(each)}"`);
        const braces = pairs.length > 0 ? `{${pairs.join(',')}}` : '';
        return `${name}${braces} ${number(value)}${stamp === undefined ? '' : ` ${stamp}`}\n`;
      });
      const expected = samples.map(({ name, labels, value }) => plain(name, value, labels));
      expect(parseExposition(lines.join('')).map(entries)).toEqual(expected.map(entries));
    }));

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
