import { z } from 'zod';
import { worstOfRuns } from '../../contract/exit-codes.js';
import { problemError } from '../../contract/problems.js';
import { forcedDifference } from '../../experiment/compare.js';
import { comparisonRows, isComparison, type RunOrComparison } from '../../results/comparison.js';
import { diff as diffSchema } from '../../results/diff.js';
import { latestResult, resultBefore } from '../../results/latest.js';
import { isInTurn } from '../../results/likeness.js';
import { directoryOf } from '../../results/store.js';
import { readKept, scenarioOf } from '../../run/kept.js';
import { formOptions, switchOf } from '../../run/plan/run-options.js';
import { oneDocument, plain } from '../command.js';
import { type DiffInput, diffOf, partExit, runsBeside } from './diff.js';
import { diffDocument } from './print.js';

/** `ringside diff BASELINE CANDIDATE`: exits with 3 if something became worse, 4 if the rig may explain it. */
export const command = plain({
  arguments: [
    { form: '[baseline]', help: 'directory of a kept result; by default the one before' },
    { form: '[candidate]', help: 'another of the same shape; the newest by default' },
  ],
  flags: z.strictObject({
    isForced: switchOf('force', 'compare runs of different loads'),
    isAll: switchOf('all', 'show every figure, also those within the noise'),
    ...formOptions.shape,
  }),
  async run(session, { args, own: { isForced, isAll, ...asked } }) {
    oneDocument(asked);
    const candidate = args[1] ?? (await latestResult());
    const baseline = args[0] ?? (await resultBefore(candidate));
    const [before, after] = await Promise.all([readSide(directoryOf(baseline)), readSide(directoryOf(candidate))]);
    await addBeside(before, after);
    const runs = [before, after].flatMap(({ rows }) => rows.flatMap((row) => row.runs));
    const difference = forcedDifference(runs, isForced);
    if (before.scenario !== after.scenario) {
      const message = `${baseline} is of ${before.scenario}, ${candidate} of ${after.scenario}`;
      throw problemError('shapesDiffer', message, 'Give two results of one scenario.');
    }
    const scenario = scenarioOf(
      before.scenario,
      baseline,
      runs.map(({ result }) => result),
    );
    const found = diffSchema.parse(diffOf(scenario, before, after, difference));
    if (found.parts.length === 0)
      throw problemError('badResult', `${baseline} and ${candidate} have no target in common`);
    await session.printResult(asked, {
      data: found,
      document: diffDocument(found, scenario, isAll),
    });
    return worstOfRuns(found.parts.map(partExit));
  },
});

async function addBeside(before: DiffInput, after: DiffInput): Promise<void> {
  const candidates = after.rows.flatMap(({ runs }) => runs.map(({ directory }) => directory));
  for (const row of before.rows) {
    const [only, ...others] = row.runs;
    if (only && others.length === 0) row.beside = await runsBeside(only, candidates);
  }
}

/** Refuses paired comparisons. Their ratios come from one time: another night differs in more than its targets. */
function refusePaired(directory: string, kept: RunOrComparison): void {
  const isPaired = isComparison(kept) ? kept.paired !== undefined : isInTurn(kept.shape);
  if (!isPaired) return;
  const what = isComparison(kept) ? 'a paired comparison' : 'a run of a paired comparison';
  const hint =
    'Compare both versions at once: `ringside compare latency --target-file base.yml --target-file head.yml`.';
  const message = `${directory} holds ${what}, whose figures hold for its own minutes only; diff needs whole runs`;
  throw problemError('badResult', message, hint);
}

async function readSide(directory: string): Promise<DiffInput & { scenario: string }> {
  const kept = await readKept(directory);
  refusePaired(directory, kept);
  const rows = comparisonRows(kept).map(({ target, runs }) => ({
    target,
    runs: runs.map(({ directory: own, result }) => ({ directory: own === '' ? directory : own, result })),
  }));
  if (rows.some(({ runs }) => runs.length > 0)) return { directory, rows, scenario: kept.scenario };
  throw problemError('badResult', `nothing ran in the comparison of ${directory}`);
}
