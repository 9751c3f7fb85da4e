import type { Command } from 'commander';
import { scenarios } from '../contract/catalog.js';
import { exitCodes } from '../contract/exit-codes.js';
import { exitOf } from '../driver/assess.js';
import { planRun, runSchema } from '../driver/plan.js';
import { run } from '../driver/run.js';
import { renderRun } from '../report/run.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { withFleet } from './fleet.js';
import { Progress } from './progress.js';
import { defineByScenario } from './scenario-command.js';
import { printScoreboard } from './scoreboard.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';

/** `ringside run SCENARIO`: one run, its figures on stdout, its result kept; or several, and what they say together. */
export function define(command: Command): void {
  defineByScenario(command, scenarios, runSchema, async (scenario, given) => {
    const { repeat, isProving, ...plan } = planRun(scenario, given);
    if (repeat > 1 || isProving) {
      await printScoreboard(scenario, [plan], { repeat, isProving });
      return;
    }
    const interrupt = interruptSignal(exitCodes.interrupted.code);
    const progress = new Progress(`${scenario.name} ${plan.target.name}`);
    const { result, directory } = await withFleet(plan.fleet, [plan.target], (shards) =>
      run(plan, {
        shards,
        childDescriptors: descriptorLimit(),
        interrupt,
        progress: (view) => progress.show(view),
      }),
    ).finally(() => progress.end());
    const text = plan.fleet.isJson ? JSON.stringify(result, null, 2) : renderRun(result, scenario, terminalStyle());
    process.stdout.write(`${text}\n`);
    process.stderr.write(`kept in ${directory}\n`);
    process.exitCode = exitCodes[exitOf(result, scenario)].code;
  });
}
