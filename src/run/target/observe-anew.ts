import { type Observation, startObservation } from '../../targets/observe/observe.js';
import { procSource } from '../../targets/observe/proc.js';

/** Watches the process that a restart brought, for an observation whose axis began at `fromMs` of this process's clock. Gives its series on that axis. */
export function observeAnew(pid: number, everyMs: number, fromMs: number): Observation {
  const offsetMs = performance.now() - fromMs;
  const observation = startObservation(process.platform === 'linux' ? [procSource(pid)] : [], everyMs);
  return {
    peek: (name) => observation.peek(name),
    stop: async () =>
      (await observation.stop()).map((series) => ({
        ...series,
        points: series.points.map(({ atMs, value }) => ({ atMs: atMs + offsetMs, value })),
      })),
  };
}
