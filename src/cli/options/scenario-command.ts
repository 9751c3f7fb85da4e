import { Argument, type Command } from 'commander';
import type { ScenarioCommand } from '../../commands/command.js';
import { problemError } from '../../contract/problems.js';
import { publishWayOf } from '../../measure/declaration.js';
import { thresholdForms } from '../../measure/threshold.js';
import { protocolByName } from '../../protocols/list.js';
import { fold } from '../../render/words/table.js';
import { subjectsOf } from '../../results/figures.js';
import { loadSchema } from '../../run/plan/length.js';
import { readOptions } from '../../run/plan/plan.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { targets } from '../../targets/list.js';
import type { Target } from '../../targets/target.js';
import { inSession } from '../session.js';
import { addRefusedFlag, asksForAll, countHidden, noteOnOptions, takeOptions } from './flags.js';

/** Adds one subcommand per scenario to a command. With `words`, those that they do not name have no flags. */
export function defineByScenario(
  command: Command,
  { scenarios, schemaOf, exampleFlags, run }: ScenarioCommand,
  words: readonly string[] = scenarios.map(({ name }) => name),
): void {
  const protocol = protocolNamedIn(process.argv);
  for (const scenario of scenarios) {
    const sub = command.command(scenario.name).description(scenario.summary).exitOverride();
    if (!words.includes(scenario.name)) continue;
    const schema = schemaOf(scenario);
    const given = takeOptions(sub, {
      options: schema,
      load: { options: loadSchema(scenario), protocol },
      hasFile: true,
    });
    for (const [flag, why] of Object.entries(scenario.without ?? {}))
      if (!sub.options.some(({ long }) => long === `--${flag}`)) addRefusedFlag(sub, flag, why);
    sub.addHelpText('after', () => {
      const path = `${command.name()} ${scenario.name}`;
      const note = noteOnOptions(path, countHidden(sub));
      const thresholds = asksForAll(process.argv) && 'thresholds' in schema.shape ? thresholdsOf(scenario) : '';
      return `${note}${examplesOf(path, scenario, exampleFlags?.(scenario))}${thresholds}`;
    });
    if (scenario.runsModules) sub.addArgument(filesArgument);
    else sub.allowExcessArguments();
    sub.action(() => {
      if (!scenario.runsModules) refuseArguments(sub);
      return inSession(async (session) => run(session, scenario, readOptions(schema, await given()), sub.args));
    });
  }
}

/** Returns the protocol that a call names, itself or by its target. Undefined for one that is not listed. */
export function protocolNamedIn(argv: readonly string[]): string | undefined {
  const given = (flag: string): string | undefined => {
    const at = argv.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
    return at < 0 ? undefined : (argv[at]?.split('=')[1] ?? argv[at + 1]);
  };
  const name = given('--protocol') ?? targets.find((target) => target.name === given('--target'))?.protocol;
  return name === undefined ? undefined : protocolByName(name)?.name;
}

const filesArgument = new Argument('[files...]', 'files of flows, each with its weight: chat.ts=3 lurker.ts=1');

function refuseArguments(command: Command): void {
  const { args } = command;
  if (args.length === 0) return;
  const message = `${command.name()}: expected only options, received ${args.join(' ')}`;
  throw problemError('badOption', message, 'Files go with `ringside run flow FILE`.');
}

function thresholdsOf(scenario: Scenario): string {
  const forms = thresholdForms(subjectsOf(scenario));
  return `\n${fold(`--threshold takes ${forms}.`, process.stdout.columns ?? 80)}\n`;
}

/** Returns two example calls of a command, such as `run latency`: with a managed target and an external one. */
export function examplesOf(command: string, scenario: Scenario, flags = ''): string {
  const able = targets.filter((target) => target.isKnownTruth !== true && canTakePart(target, scenario));
  const [first, second] = able;
  if (!first) throw new Error(`no target can take part in ${scenario.name}`);
  const isCompared = command.startsWith('compare ');
  const managed = isCompared && second ? `--target ${first.name} --target ${second.name}` : `--target ${first.name}`;
  const external = isCompared ? '--target-file targets.yml' : externalFlags(first, scenario);
  const files = scenario.runsModules ? ' chat.ts' : '';
  const lines = [managed, external].map((target) => `  $ ringside ${command}${files} ${target}${flags}`);
  return `\nExamples:\n${lines.join('\n')}\n`;
}

function canTakePart({ protocol }: Target, scenario: Scenario): boolean {
  const { verbs = [] } = protocolByName(protocol) ?? {};
  return scenario.needs(scenario.options.parse({})).every((verb) => verbs.includes(verb));
}

function externalFlags(target: Target, scenario: Scenario): string {
  const { wsUrl, publishUrl } = target.endpoints({ host: '127.0.0.1', port: 3000 });
  return [
    `--target-url ${wsUrl} --protocol ${target.protocol}`,
    ...(publishWayOf(scenario, scenario.options.parse({})) === 'http' ? [`--publish-url ${publishUrl}`] : []),
    ...(scenario.disruption ? ["--restart-command 'systemctl restart my-server'"] : []),
  ].join(' ');
}
