import type { TargetReading, Told } from '../../measure/declaration.js';
import { leastByMarks } from '../figures.js';
import type { RunResult } from '../result.js';
import { bestOf, pointsTogether } from './courses.js';

/** What all processes of the target have in common is added up, and the worst of what each has of its own. */
const together: Readonly<Record<TargetReading, 'sum' | 'max'>> = {
  cpuPercent: 'sum',
  coreWaitPercent: 'max',
  eventLoopDelayP99Ms: 'max',
  rssBytes: 'sum',
};

type Environment = Pick<RunResult['environment'], 'stages' | 'observations'>;

/** The median reading of the target in a time after the start of a stage; null without one. */
export function readingIn(
  { stages, observations }: Environment,
  stage: string,
  name: TargetReading,
  fromMs: number,
  toMs: number,
): number | null {
  const startMs = stages.find((each) => each.name === stage)?.fromMs;
  if (startMs === undefined) return null;
  const values = pointsTogether(bestOf(observations, name), together[name])
    .filter(({ atMs }) => atMs >= startMs + fromMs && atMs < startMs + toMs)
    .map(({ value }) => value)
    .sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? null;
}

/** What a result tells a scenario that has figures of its own to show. */
export function toldOf({ job, environment, verdict }: RunResult): Told {
  const { overTime } = environment;
  return {
    options: job.options,
    reading: (...asked) => readingIn(environment, ...asked),
    medians: (metric) =>
      (overTime[metric] ?? []).flatMap(({ fromMs, toMs, p50 }) =>
        p50 === null ? [] : [[(fromMs + toMs) / 2, p50] as const],
      ),
    leastUs: (metric, figure) => leastByMarks(verdict, metric, figure),
  };
}
