import type { Command } from 'commander';
import type { z } from 'zod';
import { thresholdForms } from '../../measure/threshold.js';
import { fold } from '../../render/words/fold.js';
import { subjectsOf } from '../../results/figures.js';
import type { Scenario } from '../../run/catalog.js';
import type { Given } from '../../run/plan/plan.js';
import { examplesOf } from '../help/examples.js';
import { groupsOf } from '../help/groups.js';
import { addFlags } from './flags.js';
import { addFileFlag, gather } from './given.js';

/** Gives a command one subcommand for each of the scenarios, with the flags that its schema declares, and examples that have also those of `needed`. */
export function defineByScenario(
  command: Command,
  scenarios: readonly Scenario[],
  schemaOf: (scenario: Scenario) => z.ZodObject,
  action: (scenario: Scenario, given: Given) => Promise<void>,
  needed: (scenario: Scenario) => string = () => '',
): void {
  for (const scenario of scenarios) {
    const schema = schemaOf(scenario);
    const sub = command.command(scenario.name).description(scenario.summary).exitOverride();
    addFlags(sub, schema, groupsOf(schema, scenario.options));
    addFileFlag(sub);
    sub.addHelpText('after', () => {
      const promises = 'thresholds' in schema.shape ? promisesOf(scenario) : '';
      return examplesOf(`${command.name()} ${scenario.name}`, scenario, needed(scenario)) + promises;
    });
    sub.action(() => action(scenario, gather(sub, schema)));
  }
}

/** What a promise may be about. */
function promisesOf(scenario: Scenario): string {
  const forms = thresholdForms(subjectsOf(scenario));
  return `\n${fold(`--threshold takes ${forms}.`, process.stdout.columns ?? 80)}\n`;
}
