import type { Command } from 'commander';
import { contextOf } from '../../cli/context.js';
import { withFleet } from '../../cli/fleet.js';
import { Keeping } from '../../cli/keeping.js';
import { apart } from '../../cli/options/given.js';
import { defineByScenario } from '../../cli/options/scenario-command.js';
import { interruptSignal, runEnds } from '../../cli/signals.js';
import { printerOf } from '../../cli/terminal/output.js';
import { Progress } from '../../cli/terminal/progress.js';
import { terminalStyle } from '../../cli/terminal/style.js';
import { exitCodes } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse, together } from '../../contract/refusal.js';
import { renderRun } from '../../render/run.js';
import { refuseUnwritable } from '../../results/keep.js';
import { liveMetric } from '../../results/live-metric.js';
import { type Scenario, scenarios } from '../../run/catalog.js';
import { exitOf } from '../../run/judge/assess.js';
import { planRun, runSchema } from '../../run/plan/plan.js';
import { watchOptions } from '../../run/plan/run-options.js';
import { run } from '../../run/run.js';
import { printScoreboard } from '../compare/scoreboard.js';

/** `ringside run SCENARIO`: one run, its figures on stdout, its result kept; or several, and what they say together. */
export function define(command: Command): void {
  const schemaOf = (scenario: Scenario) => runSchema(scenario).extend(watchOptions.shape);
  defineByScenario(command, scenarios, schemaOf, async (scenario, given) => {
    const { own, rest } = apart(watchOptions, given);
    const [watching, planned] = together(
      () => resolveOrRefuse(watchOptions, own),
      () => planRun(scenario, rest),
    );
    const { repeat, isProving, ...plan } = planned;
    if (repeat > 1 || isProving) {
      if (watching.isWatched)
        throw new ProblemError([problem('badOption', '--watch: expected one run, received several')]);
      await printScoreboard(scenario, [plan], { repeat, isProving });
      return;
    }
    await refuseUnwritable({ '--results': plan.fleet.resultsDir });
    const print = printerOf(plan.fleet);
    let over = '';
    const interrupt = interruptSignal(exitCodes.interrupted.code, () => over || runEnds);
    const kept = new Keeping();
    const progress = new Progress(`${scenario.name} ${plan.target.name}`);
    const shardCount = plan.fleet.shards.length || plan.fleet.localShards;
    const title = `${scenario.name} of ${plan.target.name}`;
    const page = watching.isWatched
      ? await (await import('../../cli/watch/watch-page.js')).WatchPage.open(
          watching.watchPort,
          title,
          shardCount,
          liveMetric(scenario, plan.options),
        )
      : undefined;
    const { result, directory } = await withFleet(plan.fleet, [plan.target], (shards) =>
      run(plan, {
        ...contextOf(progress, interrupt, kept),
        shards,
        progress: (view) => {
          progress.show(view);
          page?.show(view);
        },
      }),
    )
      .catch(async (error: unknown) => {
        await page?.end('The run failed; the terminal says why.').catch(tellOfPage);
        throw error;
      })
      .finally(() => progress.end());
    const place = kept.isWhole ? `kept in ${directory}` : 'not kept';
    over = `the run is over and ${place}; its page is becoming its report`;
    process.exitCode = kept.exitCode(exitOf(result, scenario));
    const report = async (): Promise<string> => {
      const { pageOf } = await import('../report/command.js');
      return pageOf(scenario, [{ label: plan.target.name, directory, result }]);
    };
    try {
      print(result, scenario, () => renderRun(result, scenario, terminalStyle()));
      kept.tell(directory);
    } finally {
      await page?.end(`The run is over. It is ${place}.`, kept.isWhole ? report : undefined).catch(tellOfPage);
    }
  });
}

/** A run ends as it ended, whatever becomes of its page. What is no problem of the input is a fault of ours, and is told with its stack. */
function tellOfPage(error: unknown): void {
  const told = error instanceof ProblemError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`no report on the page: ${told}\n`);
}
