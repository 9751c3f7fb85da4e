import { z } from 'zod';
import type { ExitName } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import { type StopCode, stopReasons } from '../../contract/stop-reasons.js';
import { resumeOptions } from '../../experiment/journal.js';
import { under } from '../../options/option.js';
import { runDocument } from '../../render/run.js';
import { liveMetric } from '../../results/figures.js';
import { ResultStore } from '../../results/store.js';
import { type PlannedModule, readModules } from '../../run/flow/read-modules.js';
import { runExit } from '../../run/judge/assess.js';
import { type Plan, planRun, readingWithout, runSchema, valuesOf } from '../../run/plan/plan.js';
import { leaveOptions, switchOf, watchOptions } from '../../run/plan/run-options.js';
import { newRunId, run, runAndLeave } from '../../run/run.js';
import { attachCommand } from '../../run/shards/open-shards.js';
import { scenarios } from '../../scenarios/list.js';
import { jsonText } from '../../units/text.js';
import type { CommandSession, ScenarioCommand } from '../command.js';

const moduleOptions = z.strictObject({
  ...under('Thresholds and results:', {
    keepsModules: switchOf('keep-module', 'keep the bundle beside the result, without rows of its data'),
  }),
});
const ownOptions = z.strictObject({
  ...under('Thresholds and results:', {
    isVerbose: switchOf('verbose', 'print every figure, the ledger and the load generator as well'),
  }),
  ...watchOptions.shape,
  ...leaveOptions.shape,
  ...resumeOptions.shape,
});

/** `ringside run SCENARIO`: makes one kept run, or several and prints what they show together. */
export const command: ScenarioCommand = {
  scenarios,
  schemaOf: (scenario) =>
    z.strictObject({
      ...runSchema(scenario).shape,
      ...ownOptions.shape,
      ...(scenario.runsModules && moduleOptions.shape),
    }),
  async run(session, named, read, files) {
    const modules = await readModules(named, files);
    const { repeat, isProving, ...plan } = planRun(named, readingWithout(ownOptions, read), modules);
    const { scenario } = plan;
    const { keepsModules } = valuesOf(moduleOptions, read);
    const { isLeft, runId, resume, isVerbose, ...watching } = valuesOf(ownOptions, read);
    const isSeveral = repeat > 1 || isProving;
    const beside = {
      '--watch': watching.isWatched,
      '--leave': isLeft,
      '--run-id': runId !== undefined,
      '--keep-module': keepsModules,
      '--otlp': watching.otlpUrl !== undefined,
      '--until': plan.until !== undefined,
    };
    const refused = Object.entries(beside).filter(([, isGiven]) => isGiven && isSeveral);
    if (isLeft && watching.isWatched) refused.push(['--watch beside --leave', true]);
    const alone = resume !== undefined && !isSeveral;
    if (alone) throw problemError('badOption', '--resume: goes with --prove or --repeat');
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
    const metric = liveMetric(scenario, options);
    const watch = { port: watching.watchPort, title: `${scenario.name} of ${target.name}`, metric };
    const { otlpUrl: url } = watching;
    const id = runId ?? newRunId();
    return session.measure({
      label: `${scenario.name} ${target.name}`,
      isByShard: isVerbose,
      fleet,
      targets: [target],
      watch: watching.isWatched ? watch : undefined,
      otlp: url === undefined ? undefined : { url, runId: id, scenario: scenario.name, target: target.name, metric },
      work: async (context) => {
        const { result, directory } = await run(plan, { ...context, runId: id, keepsPart: true });
        if (keepsModules) await keepModules(modules, directory, context.notKept);
        return {
          data: result,
          document: runDocument(result, scenario),
          isBrief: !isVerbose,
          ...(!isVerbose && { note: 'every figure and the ledger: `ringside show`, or -v' }),
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

function keepModules(
  modules: readonly PlannedModule[],
  directory: string,
  notKept: (problem: Problem) => void,
): Promise<void> {
  const files = modules.map(({ name, code }) => [`modules/${name.replaceAll(/[^\w.-]+/g, '_')}.mjs`, code]);
  return new ResultStore(notKept).keep(directory, Object.fromEntries(files));
}

async function leaveRun(session: CommandSession, plan: Plan, runId: string | undefined): Promise<ExitName> {
  const { scenario, target, fleet } = plan;
  const making = session.begin(`${scenario.name} ${target.name}`);
  const { runId: run, seen } = await session
    .withShards(fleet, [target], (shards) => runAndLeave(plan, { ...making.context, runId, shards }))
    .finally(making.end);
  const attach = attachCommand(run, fleet);
  if (fleet.isJson) session.print(jsonText({ run, attach }));
  else session.print(`run ${run} is over and stays on its shards: ${attach}\n`);
  const { code } = seen.end ?? {};
  if (code === undefined) return 'clean';
  return code in stopReasons ? stopReasons[code as StopCode].exit : 'rig';
}
