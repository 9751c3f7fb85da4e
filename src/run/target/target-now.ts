import type { TargetValues } from '../../results/progress.js';
import { memoryMetrics } from '../../results/series.js';
import type { Observation } from '../../targets/observe/observe.js';

/** What is shown of a target while a run goes, out of its observations, the latest first; what none of them has fresh is left out. */
export function targetNow(observations: readonly Pick<Observation, 'peek'>[]): TargetValues {
  const latest = (...names: Parameters<Observation['peek']>[0][]): number | undefined => {
    for (const name of names) {
      for (const observation of observations) {
        const value = observation.peek(name);
        if (value !== undefined) return value;
      }
    }
    return undefined;
  };
  const values = {
    cpuPercent: latest('cpuPercent'),
    memoryBytes: latest(...memoryMetrics),
    eventLoopDelayP99Ms: latest('eventLoopDelayP99Ms'),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
