import type { Command } from 'commander';
import type { z } from 'zod';
import { type Scenario, scenarios } from '../contract/catalog.js';
import type { Given } from '../driver/plan.js';
import { addFlags } from './flags.js';
import { addFileFlag, gather } from './given.js';

/** Gives a command one subcommand for each scenario, with the flags that its schema declares. */
export function defineByScenario(
  command: Command,
  schemaOf: (scenario: Scenario) => z.ZodObject,
  action: (scenario: Scenario, given: Given) => Promise<void>,
): void {
  for (const scenario of scenarios) {
    const schema = schemaOf(scenario);
    const sub = command.command(scenario.name).description(scenario.summary).exitOverride();
    addFileFlag(sub);
    addFlags(sub, schema);
    sub.action(() => action(scenario, gather(sub, schema)));
  }
}
