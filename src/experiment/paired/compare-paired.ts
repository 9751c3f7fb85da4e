import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { stopReasons } from '../../contract/stop-reasons.js';
import { thisTool } from '../../contract/version.js';
import type { RatioThreshold } from '../../measure/threshold.js';
import type { Comparison } from '../../results/comparison.js';
import { fingerprint } from '../../results/fingerprint.js';
import { experimentFile } from '../../results/journal.js';
import { resultVersion } from '../../results/result.js';
import { ResultStore, resultDirectory } from '../../results/store.js';
import { isSure, thresholdsExit } from '../../run/judge/assess.js';
import { type Plan, shapeOf } from '../../run/plan/plan.js';
import type { PairedOptions } from '../../run/plan/run-options.js';
import { type ExperimentContext, rowsOfCells } from '../cells.js';
import { ratioExit, withRatios } from '../compare.js';
import { PairedSeries } from './series.js';
import { sidesOf } from './sides.js';

/**
 * Compares targets that all run at once. In each round every target has one broadcast, or one send of each client, in a
 * slot of its own. Several starts of all processes follow each other, until all pairs are decided, or the starts or the
 * budget are used up.
 */
export async function comparePaired(
  plans: readonly Plan[],
  options: PairedOptions,
  context: ExperimentContext,
  ratios: readonly RatioThreshold[] = [],
): Promise<{ comparison: Comparison; directory: string }> {
  const [first] = plans;
  const spec = first?.scenario.slots;
  if (!first || !spec) throw new Error('a paired comparison needs a plan of a scenario that takes slots');
  const startedAt = new Date().toISOString();
  const { scenario, fleet } = first;
  const directory = resultDirectory(fleet.resultsDir, startedAt, scenario.name, 'compare', 'paired');
  const rows = await rowsOfCells(plans.map((plan) => ({ plan, label: plan.target.name })));
  const asked = { ...options, hasRatios: ratios.length > 0 };
  const paired = await new PairedSeries(spec, sidesOf(plans, rows), asked, directory, context).measure();
  const measured: Comparison = {
    schema: resultVersion,
    tool: thisTool,
    kind: 'comparison',
    scenario: scenario.name,
    fingerprint: fingerprint({ ...shapeOf(first), design: 'paired' }),
    forced: '',
    repeat: Math.max(1, ...rows.map(({ runs }) => runs.length)),
    startedAt,
    rows,
    pairs: [],
    proof: null,
    ...(paired && { paired }),
  };
  const comparison = withRatios(measured, ratios, scenario);
  await new ResultStore(context.notKept).keep(directory, { [experimentFile]: comparison });
  return { comparison, directory };
}

type Ended = Pick<Comparison, 'paired' | 'rows' | 'ratioThresholds'>;

/**
 * Returns the exit of a paired comparison. It is clean if the comparison decides something about every target that ran;
 * with `isStrict`, only without a bound.
 */
export function pairedExit({ paired, rows, ratioThresholds }: Ended, isStrict: boolean): ExitName {
  if (!paired) return 'input';
  if (paired.ended === 'interrupted') return 'interrupted';
  const results = rows.flatMap(({ runs }) => runs.map(({ result }) => result));
  const isOpen = isStrict && results.some(({ verdict }) => !isSure(verdict, isStrict));
  return worstOfRuns([
    ...rows.flatMap(failedExit),
    ...results.map(({ thresholds }) => thresholdsExit(thresholds)),
    ...results.map(({ stop: { code } }) => (code === 'publishesShort' ? stopReasons[code].exit : 'clean')),
    ...(isOpen || !(isAnswered({ paired, rows }) || ratioThresholds) ? (['rig'] as const) : []),
    ratioExit({ ratioThresholds }),
  ]);
}

/** Returns the exit of a target that left the comparison: by its last run, or `input` if it was refused. */
function failedExit({ state, runs }: Ended['rows'][number]): ExitName[] {
  if (state !== 'failed') return [];
  const last = runs.at(-1)?.result.stop.code;
  return [last === undefined || stopReasons[last].isComplete ? 'input' : stopReasons[last].exit];
}

/** Returns true if it names an order or equal targets, or if there is only one target, which has nothing to name. */
function isAnswered({ paired, rows }: Ended): boolean {
  if (rows.length < 2) return true;
  return paired?.withheld.length === 0 && paired.pairs.some(({ holds }) => holds !== 'open');
}
