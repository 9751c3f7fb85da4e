import { expect, it } from 'vitest';
import type { MetricName } from '../../measure/series.js';
import { targetNow } from './observe.js';

const seeing = (values: Partial<Record<MetricName, number>>) => ({ peek: (name: MetricName) => values[name] });

it('takes the best memory that any observation has, and of each figure the latest observation', () => {
  const before = seeing({ cpuPercent: 37, rssBytes: 7000, runtimeMemoryBytes: 13, eventLoopDelayP99Ms: 3 });
  expect(targetNow([before])).toEqual({ cpuPercent: 37, memoryBytes: 7000, eventLoopDelayP99Ms: 3 });
  const afterRestart = seeing({ cpuPercent: 11, rssBytes: 5000 });
  expect(targetNow([afterRestart, before])).toEqual({ cpuPercent: 11, memoryBytes: 5000, eventLoopDelayP99Ms: 3 });
  expect(targetNow([seeing({ runtimeMemoryBytes: 13, rssBytes: 17 })])).toEqual({ memoryBytes: 17 });
});

it('leaves out what nobody has fresh', () => {
  expect(targetNow([seeing({})])).toEqual({});
});
