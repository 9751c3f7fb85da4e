import { describe, expect, it } from 'vitest';
import { PrometheusMapping, parseExposition } from './prometheus.js';

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
      ],
    });
  });

  it('of Soketi gives the same of Node, and its connections', () => {
    const page = `soketi_connected{app_id="app-id",port="6001"} 53
soketi_process_resident_memory_bytes{port="6001"} 107831296
soketi_nodejs_eventloop_lag_p99_seconds{port="6001"} 0.013
soketi_nodejs_version_info{version="v20.20.2",major="20",port="6001"} 1`;
    expect(readAll(page)[0]?.values).toEqual([
      { name: 'connections', value: 53 },
      { name: 'rssBytes', value: 107_831_296 },
      { name: 'eventLoopDelayP99Ms', value: 13 },
    ]);
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

  it('gives no value for NaN', () => {
    expect(readAll('nodejs_eventloop_lag_p99_seconds NaN\nprocess_open_fds 19')[0]?.values).toEqual([
      { name: 'descriptors', value: 19 },
    ]);
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

  it('takes one of two names for the same', () => {
    expect(readAll('go_goroutines 83\nanycable_go_goroutines_num 79')[0]?.values).toEqual([
      { name: 'goroutines', value: 83 },
    ]);
  });

  it('is a failure when nothing on it is known', () => {
    expect(() => readAll('up 1')).toThrow(/metric/);
  });
});
