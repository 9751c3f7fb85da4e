import { resumeNote } from '../../../experiment/journal.js';
import { parseThreshold } from '../../../measure/threshold.js';
import { statementWords } from '../../../render/words/statement.js';
import { milliseconds } from '../../../render/words/values.js';
import type { FindingPoint } from '../../../results/search.js';
import { lackingSamples } from '../../../run/plan/thresholds.js';
import { scenarios } from '../../../scenarios/list.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import { duration } from '../../../units/unit.js';
import type { ScenarioCommand } from '../../command.js';
import { rateInWords } from './answer.js';
import { find } from './find.js';
import { findSchema, planFind } from './plan.js';
import { findDocument, whyOf } from './print.js';

/** `ringside find SCENARIO --limit …`: finds the rate at which a figure breaks its threshold. */
export const command: ScenarioCommand = {
  // A search needs a scenario whose load is a rate.
  scenarios: scenarios.filter(({ options }) => 'ratePerSecond' in options.shape),
  schemaOf: findSchema,
  exampleFlags: (scenario) => ` --limit '${exampleLimit(scenario)}'`,
  async run(session, scenario, read) {
    const findPlan = planFind(scenario, read);
    const { plan, shape } = findPlan;
    return session.measure({
      label: `find ${scenario.name} ${plan.target.name}`,
      fleet: plan.fleet,
      targets: [plan.target],
      work: async (context) => {
        const most = duration.print(Math.ceil(shape.mostMs / 60_000) * 60_000);
        context.note(`at most ${shape.runsAtMost} runs and ${most}; most searches take a third of them`);
        const { finding, directory, exit } = await find(findPlan, {
          ...context,
          begins: () => undefined,
          tried: (_label, point) => context.note(inOneLine(point)),
        });
        return {
          data: finding,
          document: findDocument(finding),
          directory,
          ...resumeNote(directory, exit),
          exit,
        };
      },
    });
  },
};

function inOneLine(point: FindingPoint): string {
  const why = whyOf(point);
  const state = statementWords.meets[point.holds];
  const said = `${rateInWords(point.ratePerSecond)}: ${state}, ${milliseconds(point.figure)} ms`;
  return why === '' ? said : `${said}; ${why}`;
}

/** Returns a limit for the first metric, on the highest percentile that a run with all defaults carries. */
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
