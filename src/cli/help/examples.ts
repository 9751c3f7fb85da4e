import { protocolByName, publishWayOf, type Scenario } from '../../run/catalog.js';
import { targets } from '../../targets/list.js';
import type { Target } from '../../targets/target.js';

/** Two calls of a command, such as `run latency`: with a managed target and an external one. */
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
