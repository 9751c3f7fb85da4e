import type { TargetReading } from '../../measure/declaration.js';
import type { Point } from '../../measure/series.js';
import type { RunResult } from '../result.js';
import { bestOf } from './courses.js';

/** What the core time of a target is read from. */
export type Environment = Pick<RunResult['environment'], 'loadAtMs' | 'stages' | 'observations'>;

/** How long the target's threads were ready to run without a core, in milliseconds under load; null if not observed. */
export function targetCoreWaitMs(environment: Environment): number | null {
  return coreMs(environment, 'coreWaitPercent');
}

/** The CPU time of the target in milliseconds under load; null if not observed. */
export function targetCpuMs(environment: Environment): number | null {
  return coreMs(environment, 'cpuPercent');
}

/** How long its threads waited, as a share of the core time that they wanted in several runs; null if not observed. */
export function coreWaitShare(environments: readonly Environment[]): number | null {
  const sumOf = (read: (environment: Environment) => number | null): number =>
    environments.reduce((sum, each) => sum + (read(each) ?? Number.NaN), 0);
  const [waitedMs, ranMs] = [sumOf(targetCoreWaitMs), sumOf(targetCpuMs)];
  const share = waitedMs / (waitedMs + ranMs);
  return Number.isNaN(share) ? null : share;
}

function coreMs({ loadAtMs, stages, observations }: Environment, name: TargetReading): number | null {
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
