import { describe, expect, it } from 'vitest';
import { plannedRun } from '../../../test/planned.js';
import type { Problem } from '../../contract/problems.js';
import { parseThreshold, type Threshold } from '../../measure/threshold.js';
import { subjectsOf } from '../../results/figures.js';
import { scenarioByName, scenarios } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { lackingSamples, thresholdsOf } from './thresholds.js';

const figures = ['p50', 'p90', 'p95', 'p99', 'p999', 'min', 'max', 'mean'];

describe.each(scenarios)('thresholds about $name', (scenario) => {
  const { counts, shares } = subjectsOf(scenario);
  const read = (texts: readonly string[]) => {
    const problems: Problem[] = [];
    return { thresholds: thresholdsOf({ ...scenario, thresholds: [] }, texts, problems), problems };
  };

  it('can be made of every figure of every metric, every count and every share', () => {
    const texts = [
      ...Object.keys(scenario.metrics).flatMap((metric) => figures.map((figure) => `${metric}.${figure}<211ms`)),
      ...counts.map((count) => `${count}==7`),
      ...shares.map(({ part }) => `${part}>=99.9%`),
    ];
    const { thresholds, problems } = read(texts);
    expect(problems).toEqual([]);
    expect(thresholds.map(({ text }) => text)).toEqual(texts);
  });

  it('are held against how many samples its own metrics have at most', () => {
    const options = scenario.options.parse({});
    const names = Object.keys(scenario.independentAtMost(options));
    expect(names.filter((name) => !(name in scenario.metrics))).toEqual([]);
    // What a flow does is known when it runs.
    if (scenario.name !== 'flow') expect(names).not.toEqual([]);
  });

  it('can be made of nothing else', () => {
    const [metric] = Object.keys(scenario.metrics);
    const texts = [
      `${metric}.p98<1s`,
      `${metric}<1s`,
      `${metric}.p99==7`,
      'nothing==0',
      'nothing.p99<1s',
      'nothing>=1%',
    ];
    expect(read(texts).thresholds).toEqual([]);
    expect(read(texts).problems).toHaveLength(texts.length);
  });
});

describe('a threshold that no such run can have a figure for', () => {
  const lacking = (name: string, text: string, given: Record<string, unknown> = {}): string | undefined => {
    const scenario = scenarioByName(name) as Scenario;
    const threshold = parseThreshold(text, subjectsOf(scenario)) as Threshold;
    return lackingSamples(threshold, scenario, scenario.options.parse(given));
  };

  it('is refused beforehand, with how many samples it needs and there would be', () => {
    const file = { target: 'ws', broadcasts: 499, threshold: ['publishAck.p99<200ms', 'delivery.p99<200ms'] };
    const latency = scenarioByName('latency') as Scenario;
    expect(() => plannedRun(latency, { flags: {}, env: {}, file })).toThrow(
      /--threshold: publishAck\.p99<200ms: p99 .*\b500\b.*\b499\b/,
    );
    expect(plannedRun(latency, { flags: {}, env: {}, file: { ...file, broadcasts: 500 } }).thresholds).toHaveLength(2);
  });

  it('names the figure as it is printed', () => {
    expect(lacking('latency', 'delivery.p999<1s', { clients: 7 })).toMatch(/: p99\.9 /);
  });

  it('is one that needs more samples than there can be, not a lighter one', () => {
    const few = { clients: 4, broadcasts: 100 };
    expect(lacking('latency', 'delivery.p99<200ms', few)).toMatch(/\b500 broadcasts\b.*\b100\b/);
    expect(lacking('latency', 'delivery.p95<200ms', few)).toBeUndefined();
    expect(lacking('latency', 'publishAck.max<200ms', few)).toBeUndefined();
    expect(lacking('latency', 'lost==0', few)).toBeUndefined();
  });

  it.each([
    ['throughput', 'publishAck.mean<1s', { publish: 'clients' }, 0],
    ['throughput', 'delivery.max<1s', { publish: 'in-process' }, 0],
    ['throughput', 'publishAck.p99<1s', { ratePerSecond: 7, durationMs: 1000 }, 7],
    ['jitter', 'publishLag.p999<1s', { broadcasts: 4999 }, '4,999'],
    ['deploy', 'gap.p99<1s', { clients: 499 }, 499],
    ['avalanche', 'backAfter.p99<1s', { clients: 499 }, 499],
    ['idle', 'connect.p99<1s', { clients: 499 }, 499],
    ['connect', 'tcp.p99<1s', { clients: 499 }, 499],
    ['connect', 'handshakeFromIntended.max<1s', { concurrency: 7 }, 0],
    ['whisper', 'delivery.p99<1s', { clients: 7, room: 3, ratePerSecond: 2, durationMs: 5000 }, 70],
    ['echo', 'roundTrip.p99<1s', { clients: 7, ratePerSecond: 2, durationMs: 5000 }, 70],
    ['echo', 'roundTripFromIntended.max<1s', { loop: 'closed' }, 0],
    ['steps', 'roundTrip.p99<1s', { steps: 3, sample: 101 }, 303],
    ['steps', 'delivery.p99<1s', { step: 2, steps: 3, sample: 11 }, 33],
    ['steps', 'delivery.max<1s', { mode: 'echo' }, 0],
  ])('is known of %s: %s of %j makes at most %s', (name, text, given, most) => {
    expect(lacking(name, text, given)).toMatch(new RegExp(`\\b${most}\\b`));
  });

  it.each([
    ['latency', 'delivery.p99<1s', { broadcasts: 200 }, '--broadcasts 500'],
    ['latency', 'connect.p99<1s', { clients: 7 }, '--clients 500'],
    ['jitter', 'delivery.p99<1s', {}, '--broadcasts 500'],
    ['throughput', 'delivery.p99<1s', { ratePerSecond: 7, durationMs: 3000 }, '--duration 72s'],
    ['throughput', 'delivery.p99<1s', { broadcasts: 3 }, '--broadcasts 500'],
    ['deploy', 'gap.p99<1s', { clients: 7 }, '--clients 500'],
    ['whisper', 'delivery.p99<1s', { clients: 7, ratePerSecond: 2, durationMs: 5000 }, '--duration 36s'],
    ['steps', 'delivery.p99<1s', { steps: 3, sample: 11 }, '--sample 167'],
  ])('says of %s how %s of %j can be had: %s', (name, text, given, option) => {
    expect(lacking(name, text, given)).toContain(option);
  });

  it('is let through where the number is not known beforehand', () => {
    expect(lacking('echo', 'roundTrip.p999<1s', { loop: 'closed', clients: 1 })).toBeUndefined();
    expect(lacking('throughput', 'drain.max<1s')).toBeUndefined();
  });
});
