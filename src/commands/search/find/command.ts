import { ProblemError, problem } from '../../../contract/problems.js';
import { resolveOrRefuse, together } from '../../../contract/refusal.js';
import { parseThreshold } from '../../../measure/threshold.js';
import { type Scenario, scenarios } from '../../../run/catalog.js';
import { type Given, planRun, planSchema } from '../../../run/plan/plan.js';
import { findOptions } from '../../../run/plan/run-options.js';
import { lackingSamples, thresholdProblem } from '../../../run/plan/thresholds.js';
import { apart, type ScenarioCommand } from '../../command.js';
import { type FigureThreshold, find } from './find.js';
import { renderFinding } from './print.js';

/** `ringside find SCENARIO --limit …`: the rate at which a figure breaks its threshold, each try a kept run. */
export const command: ScenarioCommand = {
  // Only a load that is a rate can be searched.
  scenarios: scenarios.filter(({ options }) => 'ratePerSecond' in options.shape),
  schemaOf: (scenario) => planSchema(scenario).omit({ isMarkdown: true, thresholds: true }).extend(findOptions.shape),
  exampleFlags: (scenario) => ` --limit '${exampleLimit(scenario)}'`,
  async run(session, scenario, given) {
    const { own, rest } = apart(findOptions, given);
    const [limit, plan] = together(
      () => limitOf(scenario, own),
      () => planRun(scenario, rest),
    );
    const lacking = lackingSamples(limit, scenario, plan.options);
    if (lacking !== undefined) throw new ProblemError([problem('badOption', `--limit: ${lacking}`)]);
    return session.measure({
      label: `find ${scenario.name} ${plan.target.name}`,
      fleet: plan.fleet,
      targets: [plan.target],
      work: async (context) => {
        const tried = (): void => context.finished();
        const { finding, directory, exit } = await find(plan, limit, { ...context, tried });
        return { document: finding, text: (style) => renderFinding(finding, style), directory, exit };
      },
    });
  },
};

/** A limit for the first metric, on the highest percentile that a run with all defaults carries. */
function exampleLimit(scenario: Scenario): string {
  const [metric] = Object.keys(scenario.metrics);
  const defaults = scenario.options.parse({});
  const limits = ['p99', 'p95', 'p50'].map((figure) => `${metric}.${figure}<50ms`);
  const isCarried = (text: string): boolean => {
    const limit = parseThreshold(text, { metrics: Object.keys(scenario.metrics), counts: [], shares: [] });
    return limit !== undefined && lackingSamples(limit, scenario, defaults) === undefined;
  };
  return limits.find(isCarried) ?? `${metric}.max<50ms`;
}

function limitOf(scenario: Scenario, given: Given): FigureThreshold {
  const { limit: text } = resolveOrRefuse(findOptions, given);
  const subjects = { metrics: Object.keys(scenario.metrics), counts: [], shares: [] };
  const limit = parseThreshold(text, subjects);
  if (limit?.kind !== 'figure') throw new ProblemError([thresholdProblem('--limit', text, subjects)]);
  return limit;
}
