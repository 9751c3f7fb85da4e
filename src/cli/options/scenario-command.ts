import type { Command } from 'commander';
import type { z } from 'zod';
import type { PlainCommand, ScenarioCommand } from '../../commands/command.js';
import { publishWayOf } from '../../measure/declaration.js';
import { thresholdForms } from '../../measure/threshold.js';
import { protocolByName } from '../../protocols/list.js';
import { fold } from '../../render/words/table.js';
import { subjectsOf } from '../../results/figures.js';
import { watchOptions } from '../../run/plan/run-options.js';
import { shardOptions } from '../../run/plan/shard-options.js';
import { loadOptions } from '../../scenarios/load-options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { targets } from '../../targets/list.js';
import type { Target } from '../../targets/target.js';
import { inSession } from '../session.js';
import { addFileFlag, addFlags, addRefusedFlag, gather } from './flags.js';
import { checkVariables } from './variables.js';

/** Adds one subcommand per scenario to a command, with the flags of its schema and examples. */
export function defineByScenario(command: Command, { scenarios, schemaOf, exampleFlags, run }: ScenarioCommand): void {
  for (const scenario of scenarios) {
    const schema = schemaOf(scenario);
    const sub = command.command(scenario.name).description(scenario.summary).exitOverride();
    addFlags(sub, schema, groupsOf(schema, scenario.options));
    addFileFlag(sub);
    for (const [flag, why] of Object.entries(scenario.without ?? {})) addRefusedFlag(sub, flag, why);
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

function thresholdsOf(scenario: Scenario): string {
  const forms = thresholdForms(subjectsOf(scenario));
  return `\n${fold(`--threshold takes ${forms}.`, process.stdout.columns ?? 80)}\n`;
}

const targetKeys = ['target', 'targets', 'targetUrl', 'protocol', 'publishUrl', 'targetFiles', 'headers'];
const resultKeys = [
  'thresholds',
  'isStrict',
  'limit',
  'repeat',
  'isProving',
  'resultsDir',
  'isLeft',
  'isJson',
  'isMarkdown',
];

/** Returns the heading of each option by key, in the order of the help. `load` declares the load of the command. */
export function groupsOf(schema: z.ZodObject, load: z.ZodObject): Map<string, string> {
  const keys = Object.keys(schema.shape);
  const headings: readonly [heading: string, keys: readonly string[]][] = [
    ['Target:', [...targetKeys, 'targetProcesses', 'targetRuntime', 'targetSettings']],
    ['Load:', Object.keys(load.shape)],
    ['Thresholds and results:', resultKeys],
    ['Watch page:', Object.keys(watchOptions.shape)],
    [
      'Rig:',
      [
        ...Object.keys(shardOptions.shape),
        ...['localShards', 'hasOwnNetwork', 'seed', 'trustDir'],
        ...Object.keys(loadOptions.shape),
      ],
    ],
    ['More about the target:', keys],
  ];
  const grouped = new Map<string, string>();
  for (const [heading, own] of headings)
    for (const key of own) if (keys.includes(key) && !grouped.has(key)) grouped.set(key, heading);
  return grouped;
}

/** Returns two example calls of a command, such as `run latency`: with a managed target and an external one. */
export function examplesOf(command: string, scenario: Scenario, flags = ''): string {
  const able = targets.filter((target) => target.isKnownTruth !== true && canTakePart(target, scenario));
  const [first, second] = able;
  if (!first) throw new Error(`no target can take part in ${scenario.name}`);
  const isCompared = command.startsWith('compare ');
  const managed = isCompared && second ? `--target ${first.name} --target ${second.name}` : `--target ${first.name}`;
  const external = isCompared ? '--target-file targets.yml' : externalFlags(first, scenario);
  const lines = [managed, external].map((target) => `  $ ringside ${command} ${target}${flags}`);
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
