import { thisTool } from '../../contract/version.js';
import type { RatioThreshold } from '../../measure/paired/ratio-threshold.js';
import { type Comparison, comparisonFile } from '../../results/comparison.js';
import { fingerprint } from '../../results/fingerprint.js';
import { resultVersion } from '../../results/result.js';
import { ResultStore, resultDirectory } from '../../results/store.js';
import { type Plan, shapeOf } from '../../run/plan/plan.js';
import type { PairedOptions } from '../../run/plan/run-options.js';
import { type CompareContext, rowOf } from './compare.js';
import { PairedSeries } from './paired-series.js';
import { withRatios } from './ratios.js';
import { sidesOf } from './sides.js';

/**
 * Compares targets that are all up at once: in each round every target has one broadcast, or one send of each client,
 * in a slot of its own. Several starts of all processes follow each other, until all pairs are decided, or the starts
 * or the budget are used up.
 */
export async function comparePaired(
  plans: readonly Plan[],
  options: PairedOptions,
  context: CompareContext,
  ratios: readonly RatioThreshold[] = [],
): Promise<{ comparison: Comparison; directory: string }> {
  const [first] = plans;
  const spec = first?.scenario.slots;
  if (!first || !spec) throw new Error('a paired comparison needs a plan of a scenario that takes slots');
  const startedAt = new Date().toISOString();
  const { scenario, fleet } = first;
  const directory = resultDirectory(fleet.resultsDir, startedAt, scenario.name, 'compare', 'paired');
  const rows = await Promise.all(plans.map((plan) => rowOf({ plan, label: plan.target.name })));
  const asked = { ...options, hasRatios: ratios.length > 0 };
  const paired = await new PairedSeries(spec, sidesOf(plans, rows), asked, directory, context).measure();
  const measured: Comparison = {
    schema: resultVersion,
    tool: thisTool,
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
  await new ResultStore(context.notKept).keep(directory, { [comparisonFile]: comparison });
  return { comparison, directory };
}
