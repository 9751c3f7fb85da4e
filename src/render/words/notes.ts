import type { Declaration } from '../../measure/declaration.js';
import type { RunResult } from '../../results/result.js';

/** What is to be said above the numbers of a run; nothing without a run. */
export function notesOf(run: Pick<RunResult, 'job' | 'target'> | undefined, scenario: Declaration): readonly string[] {
  return (run && scenario.notes?.(run.job.options, run.target.protocol)) ?? [];
}
