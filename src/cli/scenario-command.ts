import type { Command } from 'commander';
import type { z } from 'zod';
import type { Scenario } from '../contract/catalog.js';
import type { Given } from '../driver/plan.js';
import { addFlags } from './flags.js';
import { addFileFlag, gather } from './given.js';

/** Gives a command one subcommand for each of the scenarios, with the flags that its schema declares. */
export function defineByScenario(
  command: Command,
  scenarios: readonly Scenario[],
  schemaOf: (scenario: Scenario) => z.ZodObject,
  action: (scenario: Scenario, given: Given, sub: Command) => Promise<void>,
): Command[] {
  return scenarios.map((scenario) => {
    const schema = schemaOf(scenario);
    const sub = command.command(scenario.name).description(scenario.summary).exitOverride();
    addFileFlag(sub);
    addFlags(sub, schema);
    sub.action(() => action(scenario, gather(sub, schema), sub));
    return sub;
  });
}
