import type { Declaration } from '../../measure/declaration.js';
import type { RunResult } from '../../results/result.js';

/** What is to be said above the numbers of a run; nothing without a run. */
export function notesOf(
  run: Pick<RunResult, 'job' | 'target' | 'isPairedInOrder'> | undefined,
  scenario: Declaration,
): readonly string[] {
  if (run === undefined) return [];
  const notes = scenario.notes?.(run.job.options, run.target.protocol) ?? [];
  return run.isPairedInOrder ? [...notes, inOrder] : notes;
}

const inOrder =
  'answers tell nothing of their sends: each counts for the oldest send of its client, and a lost one moves the next';
