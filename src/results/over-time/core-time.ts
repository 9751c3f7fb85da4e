import type { Point } from '../../measure/series.js';
import type { RunResult } from '../result.js';
import { bestOf } from './courses.js';

/** What the core time of a target is read from. */
export type Environment = Pick<RunResult['environment'], 'loadAtMs' | 'stages' | 'observations'>;

/** How long the target's threads were ready to run without a core, in milliseconds under load; null if not observed. */
export function targetCoreWaitMs(environment: Environment): number | null {
  return timeUnderLoadMs(environment, 'coreWaitPercent');
}

/** The same as a share of the core time that its threads wanted in several runs; null if not observed. */
export function coreWaitShare(environments: readonly Environment[]): number | null {
  const sumOf = (name: Timed): number =>
    environments.reduce((sum, each) => sum + (timeUnderLoadMs(each, name) ?? Number.NaN), 0);
  const [waitedMs, ranMs] = [sumOf('coreWaitPercent'), sumOf('cpuPercent')];
  const share = waitedMs / (waitedMs + ranMs);
  return Number.isNaN(share) ? null : share;
}

type Timed = 'coreWaitPercent' | 'cpuPercent';

function timeUnderLoadMs({ loadAtMs, stages, observations }: Environment, name: Timed): number | null {
  const processes = bestOf(observations, name);
  if (processes.length === 0) return null;
  const endMs = Math.max(loadAtMs, ...stages.map(({ toMs }) => toMs));
  return processes.reduce((sum, { points }) => sum + integral(points, loadAtMs, endMs) / 100, 0);
}

/** A rate over a span of its points, each of which stands for the time since the point before. */
function integral(points: readonly Point[], fromMs: number, toMs: number): number {
  return points.reduce((sum, { atMs, value }, n) => {
    const beforeMs = points[n - 1]?.atMs ?? atMs;
    return sum + value * Math.max(0, Math.min(atMs, toMs) - Math.max(beforeMs, fromMs));
  }, 0);
}
