import type { Command } from 'commander';
import type { z } from 'zod';
import type { PlainCommand, ScenarioCommand } from '../../commands/command.js';
import { thresholdForms } from '../../measure/threshold.js';
import { fold } from '../../render/words/fold.js';
import { subjectsOf } from '../../results/figures.js';
import type { Scenario } from '../../run/catalog.js';
import { examplesOf } from '../help/examples.js';
import { groupsOf } from '../help/groups.js';
import { inSession } from '../session.js';
import { addFileFlag, addFlags } from './flags.js';
import { gather } from './given.js';
import { checkVariables } from './variables.js';

/** Gives a command one subcommand per scenario, with the flags of its schema and examples. */
export function defineByScenario(command: Command, { scenarios, schemaOf, exampleFlags, run }: ScenarioCommand): void {
  for (const scenario of scenarios) {
    const schema = schemaOf(scenario);
    const sub = command.command(scenario.name).description(scenario.summary).exitOverride();
    addFlags(sub, schema, groupsOf(schema, scenario.options));
    addFileFlag(sub);
    sub.addHelpText('after', () => {
      const examples = examplesOf(`${command.name()} ${scenario.name}`, scenario, exampleFlags?.(scenario));
      return examples + ('thresholds' in schema.shape ? thresholdsOf(scenario) : '');
    });
    sub.action(() =>
      inSession(async (session) => {
        await checkVariables();
        return run(session, scenario, gather(sub, schema));
      }),
    );
  }
}

/** Adds the flags of a plain command that makes load, grouped, and examples. */
export function describeLoad(command: Command, options: z.ZodObject, load: NonNullable<PlainCommand['load']>): void {
  addFlags(command, options, groupsOf(options, load.options));
  command.addHelpText('after', () => examplesOf(command.name(), load.scenario));
}

/** The forms of a threshold for this scenario. */
function thresholdsOf(scenario: Scenario): string {
  const forms = thresholdForms(subjectsOf(scenario));
  return `\n${fold(`--threshold takes ${forms}.`, process.stdout.columns ?? 80)}\n`;
}
