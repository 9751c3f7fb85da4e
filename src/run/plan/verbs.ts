import type { Problem } from '../../contract/problems.js';
import { protocols } from '../../protocols/list.js';
import type { Protocol } from '../../protocols/protocol.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { verbProblems as lackingVerbs } from '../../scenarios/verbs.js';
import { targets } from '../../targets/list.js';

/** What a protocol lacks for a scenario with these options, with the protocols and targets that have it as hint. */
export function verbProblems(scenario: Scenario, protocol: Protocol, options?: Record<string, unknown>): Problem[] {
  return lackingVerbs(scenario, protocol, options, ableTo(scenario, options));
}

function ableTo(scenario: Scenario, options: Record<string, unknown> | undefined): string | undefined {
  const needed = scenario.needs(options);
  const able = protocols.filter(({ verbs }) => needed.every((verb) => verbs.includes(verb))).map(({ name }) => name);
  if (able.length === 0) return undefined;
  const speaking = targets.filter(({ protocol, isKnownTruth }) => able.includes(protocol) && !isKnownTruth);
  const names = speaking.map(({ name }) => name).join(', ');
  const ofTargets = names === '' ? '' : `; targets that speak them: ${names}`;
  return `Protocols that support it: ${able.join(', ')}${ofTargets}.`;
}
