import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse, together } from '../../contract/refusal.js';
import { renderMarkdown } from '../../render/exports/markdown.js';
import { renderRun } from '../../render/run.js';
import { liveMetric } from '../../results/figures.js';
import { type Scenario, scenarios } from '../../run/catalog.js';
import { exitOf } from '../../run/judge/assess.js';
import { planRun, runSchema } from '../../run/plan/plan.js';
import { leaveOptions, watchOptions } from '../../run/plan/run-options.js';
import { run } from '../../run/run.js';
import { leaveRun, takenOverBy } from '../attach/leave.js';
import { apart, type ScenarioCommand } from '../command.js';

const ownOptions = z.strictObject({ ...watchOptions.shape, ...leaveOptions.shape });

/** `ringside run SCENARIO`: one kept run, or several and what they say together. */
export const command: ScenarioCommand = {
  scenarios,
  schemaOf: (scenario: Scenario) => runSchema(scenario).extend(ownOptions.shape),
  async run(session, scenario, given) {
    const { own, rest } = apart(ownOptions, given);
    const [{ isLeft, ...watching }, { repeat, isProving, ...plan }] = together(
      () => resolveOrRefuse(ownOptions, own),
      () => planRun(scenario, rest),
    );
    if (isLeft) {
      const isOne = repeat === 1 && !isProving && !watching.isWatched;
      return leaveRun(session, plan, isOne);
    }
    if (repeat > 1 || isProving) {
      if (watching.isWatched)
        throw new ProblemError([problem('badOption', '--watch: expected one run, received several')]);
      const { scoreboard } = await import('../compare/command.js');
      return scoreboard(session, scenario, [plan], { repeat, isProving });
    }
    const { target, fleet, options } = plan;
    const watch = {
      port: watching.watchPort,
      title: `${scenario.name} of ${target.name}`,
      metric: liveMetric(scenario, options),
    };
    return session.measure({
      label: `${scenario.name} ${target.name}`,
      fleet,
      targets: [target],
      watch: watching.isWatched ? watch : undefined,
      work: async (context) => {
        const begun = (runId: string) => context.note(takenOverBy(runId, fleet));
        const { result, directory } = await run(plan, { ...context, begun });
        return {
          document: result,
          text: (style) => renderRun(result, scenario, style),
          markdown: () => renderMarkdown(result, scenario),
          directory,
          exit: exitOf(result, scenario, fleet.isStrict),
          report: async () => {
            const { pageOf } = await import('../report/page.js');
            return pageOf(scenario, [{ label: target.name, directory, result }]);
          },
        };
      },
    });
  },
};
