/** Everything that can be observed of a target and its machine, with its meaning. */
export { metricTable as observationTable } from '../targets/observe/series.js';

/** What stands for the memory of a target, the best first: each where those before it are not to be had. */
export const memoryMetrics = ['rssBytes', 'serviceMemoryBytes', 'runtimeMemoryBytes'] as const;

/** What is told of the target while a run goes; `memoryBytes` is the first of `memoryMetrics`. */
export type TargetMetric = 'cpuPercent' | 'memoryBytes' | 'eventLoopDelayP99Ms';
