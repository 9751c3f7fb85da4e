import type { Command } from 'commander';
import { type Scenario, scenarios } from '../contract/catalog.js';
import { exitCodes } from '../contract/exit-codes.js';
import { ProblemError, problem } from '../contract/problems.js';
import { exitOf } from '../driver/assess.js';
import { planRun, runSchema } from '../driver/plan.js';
import { run } from '../driver/run.js';
import { watchOptions } from '../driver/run-options.js';
import { renderRun } from '../report/run.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { withFleet } from './fleet.js';
import { printerOf } from './output.js';
import { Progress } from './progress.js';
import { defineByScenario } from './scenario-command.js';
import { printScoreboard } from './scoreboard.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';
import { watchingOf } from './watching.js';

/** `ringside run SCENARIO`: one run, its figures on stdout, its result kept; or several, and what they say together. */
export function define(command: Command): void {
  const schemaOf = (scenario: Scenario) => runSchema(scenario).extend(watchOptions.shape);
  defineByScenario(command, scenarios, schemaOf, async (scenario, all) => {
    const { watching, given } = watchingOf(all);
    const { repeat, isProving, ...plan } = planRun(scenario, given);
    if (repeat > 1 || isProving) {
      if (watching.isWatched)
        throw new ProblemError([problem('badOption', '--watch: expected one run, received several')]);
      await printScoreboard(scenario, [plan], { repeat, isProving });
      return;
    }
    const print = printerOf(plan.fleet);
    const interrupt = interruptSignal(exitCodes.interrupted.code);
    const progress = new Progress(`${scenario.name} ${plan.target.name}`);
    const shardCount = plan.fleet.shards.length || plan.fleet.localShards;
    const title = `${scenario.name} of ${plan.target.name}`;
    const page = watching.isWatched
      ? await (await import('./watch-page.js')).WatchPage.open(watching.watchPort, title, shardCount)
      : undefined;
    const { result, directory } = await withFleet(plan.fleet, [plan.target], (shards) =>
      run(plan, {
        shards,
        childDescriptors: descriptorLimit(),
        interrupt,
        progress: (view) => {
          progress.show(view);
          page?.show(view);
        },
      }),
    )
      .catch(async (error: unknown) => {
        await page?.end('The run failed; the terminal says why.');
        throw error;
      })
      .finally(() => progress.end());
    print(result, scenario, () => renderRun(result, scenario, terminalStyle()));
    process.stderr.write(`kept in ${directory}\n`);
    process.exitCode = exitCodes[exitOf(result, scenario)].code;
    await page?.end(`The run is over. It is kept in ${directory}.`, async () => {
      const { pageOf } = await import('./report.js');
      return pageOf(scenario, [{ label: plan.target.name, directory, result }]);
    });
  });
}
