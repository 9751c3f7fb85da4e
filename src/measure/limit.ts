import { duration } from '../units/duration.js';
import { percentiles } from './distribution.js';

/** A bound on one figure of a distribution, in microseconds. */
export interface Limit {
  metric: string;
  percentile: keyof typeof percentiles | 'max' | 'mean';
  us: number;
}

const figures = [...Object.keys(percentiles), 'max', 'mean'];

/** Reads `handshake.p99<50ms`; undefined when it is nothing of that form with one of the metrics. */
export function parseLimit(text: string, metrics: readonly string[]): Limit | undefined {
  const [, metric = '', figure = '', bound = ''] = /^(\w+)\.(\w+)\s*<=?\s*(\S+)$/.exec(text.trim()) ?? [];
  const ms = duration.parse(bound);
  if (ms === undefined || !metrics.includes(metric) || !figures.includes(figure)) return undefined;
  return { metric, percentile: figure as Limit['percentile'], us: ms * 1000 };
}

/** How a limit is written, for messages. */
export const limitForm = `METRIC.FIGURE<DURATION with figure one of ${figures.join(', ')}, such as handshake.p99<50ms`;
