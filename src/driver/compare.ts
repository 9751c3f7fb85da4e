import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Comparison, ComparisonRow } from '../contract/comparison.js';
import { ProblemError } from '../contract/problems.js';
import { resultVersion } from '../contract/result.js';
import { version } from '../contract/version.js';
import { resultDirectory } from './keep.js';
import { fingerprintOf, type Plan } from './plan.js';
import { type RunContext, type RunOutcome, run } from './run.js';

/** What a comparison is given: how to run one plan, and whom to tell. */
export interface CompareContext extends RunContext {
  /** Called before each run: `number` from 1 of `of`. */
  begins(plan: Plan, number: number, of: number): void;
  finished(plan: Plan, outcome: RunOutcome): void;
}

/** Runs every plan `repeat` times, interleaved (A B C A B C), so that noise that varies with time falls on all alike. Keeps the comparison beside its runs. */
export async function compare(
  plans: readonly Plan[],
  repeat: number,
  context: CompareContext,
): Promise<{ comparison: Comparison; directory: string }> {
  const [first] = plans;
  if (!first) throw new Error('a comparison needs a plan');
  const startedAt = new Date().toISOString();
  const directory = resultDirectory(
    first.fleet.resultsDir,
    startedAt,
    first.scenario.name,
    'compare',
    `${plans.length}x${repeat}`,
  );
  const rows = await Promise.all(plans.map((plan) => rowOf(plan)));
  const runnable = plans.filter((_plan, index) => rows[index]?.state === 'ran');
  const total = runnable.length * repeat;
  let number = 0;
  for (let round = 0; round < repeat; round++) {
    for (const plan of runnable) {
      const row = rows[plans.indexOf(plan)];
      if (context.interrupt.aborted || row?.state !== 'ran') continue;
      context.begins(plan, ++number, total);
      try {
        const outcome = await run({ ...plan, fleet: { ...plan.fleet, resultsDir: directory } }, context);
        row.runs.push({ directory: outcome.directory, result: outcome.result });
        context.finished(plan, outcome);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        row.state = 'failed';
        row.why = error.message;
      }
    }
  }
  const comparison: Comparison = {
    schema: resultVersion,
    tool: { name: 'ringside-bench', version },
    scenario: first.scenario.name,
    fingerprint: fingerprintOf(first),
    repeat,
    startedAt,
    rows,
  };
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'comparison.json'), `${JSON.stringify(comparison, null, 2)}\n`);
  return { comparison, directory };
}

async function rowOf({ target }: Plan): Promise<ComparisonRow> {
  const row: ComparisonRow = { target: target.name, state: 'ran', why: '', runs: [] };
  if (!target.isOurs) return row;
  const available = await target.target.availability();
  return available.isAvailable ? row : { ...row, state: 'notAvailable', why: available.why };
}
