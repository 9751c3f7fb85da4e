import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { resumeOptions } from '../../experiment/journal.js';
import { runDocument } from '../../render/run.js';
import { liveMetric } from '../../results/figures.js';
import { runExit } from '../../run/judge/assess.js';
import { planRun, readingWithout, runSchema, valuesOf } from '../../run/plan/plan.js';
import { leaveOptions, watchOptions } from '../../run/plan/run-options.js';
import { run } from '../../run/run.js';
import { scenarios } from '../../scenarios/list.js';
import { leaveRun } from '../attach/leave.js';
import type { ScenarioCommand } from '../command.js';

const ownOptions = z.strictObject({ ...watchOptions.shape, ...leaveOptions.shape, ...resumeOptions.shape });

/** `ringside run SCENARIO`: makes one kept run, or several and prints what they show together. */
export const command: ScenarioCommand = {
  scenarios,
  schemaOf: (scenario) => z.strictObject({ ...runSchema(scenario).shape, ...ownOptions.shape }),
  async run(session, scenario, read) {
    const { repeat, isProving, ...plan } = planRun(scenario, readingWithout(ownOptions, read));
    const { isLeft, runId, resume, ...watching } = valuesOf(ownOptions, read);
    const isSeveral = repeat > 1 || isProving;
    const beside = { '--watch': watching.isWatched, '--leave': isLeft, '--run-id': runId !== undefined };
    const refused = Object.entries(beside).filter(([, isGiven]) => isGiven && isSeveral);
    if (isLeft && watching.isWatched) refused.push(['--watch beside --leave', true]);
    const alone = resume !== undefined && !isSeveral;
    if (alone) throw new ProblemError([problem('badOption', '--resume: goes with --prove or --repeat')]);
    if (refused.length > 0)
      throw new ProblemError(
        refused.map(([flag]) => problem('badOption', `${flag}: expected one run whose result is kept here`)),
      );
    if (isLeft) return leaveRun(session, plan, runId);
    if (isSeveral) {
      const { scoreboard } = await import('../compare/command.js');
      return scoreboard(session, scenario, [plan], { repeat, isProving, resume });
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
        const { result, directory } = await run(plan, { ...context, runId, keepsPart: true });
        return {
          data: result,
          document: runDocument(result, scenario),
          directory,
          exit: runExit(result, scenario, fleet.isStrict),
          report: async () => {
            const { pageOf } = await import('../report/page.js');
            return pageOf(scenario, [{ label: target.name, directory, result }]);
          },
        };
      },
    });
  },
};
