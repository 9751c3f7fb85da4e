import { protocolByName, publishWayOf, type Scenario } from '../../run/catalog.js';
import { targets } from '../../targets/list.js';
import type { Target } from '../../targets/target.js';

/** How a command is called for a scenario: on targets of ours, and on one that runs already. `command` are the words before the flags, `flags` those that it can't do without. */
export function examplesOf(command: string, scenario: Scenario, flags = ''): string {
  const able = targets.filter((target) => target.isKnownTruth !== true && canTakePart(target, scenario));
  const [first, second] = able;
  if (!first) throw new Error(`no target can take part in ${scenario.name}`);
  const isCompared = command.startsWith('compare ');
  const ours = isCompared && second ? `--target ${first.name} --target ${second.name}` : `--target ${first.name}`;
  const brought = isCompared ? '--target-file targets.yml' : broughtFlags(first, scenario);
  const lines = [ours, brought].map((target) => `  $ ringside ${command} ${target}${flags}`);
  return `\nExamples:\n${lines.join('\n')}\n`;
}

function canTakePart({ protocol }: Target, scenario: Scenario): boolean {
  const { verbs = [] } = protocolByName(protocol) ?? {};
  return scenario.needs(scenario.options.parse({})).every((verb) => verbs.includes(verb));
}

function broughtFlags(target: Target, scenario: Scenario): string {
  const { wsUrl, publishUrl } = target.endpoints({ host: '127.0.0.1', port: 3000 });
  return [
    `--target-url ${wsUrl} --protocol ${target.protocol}`,
    ...(publishWayOf(scenario, scenario.options.parse({})) === 'http' ? [`--publish-url ${publishUrl}`] : []),
    ...(scenario.disruption ? ["--restart-command 'systemctl restart my-server'"] : []),
  ].join(' ');
}
