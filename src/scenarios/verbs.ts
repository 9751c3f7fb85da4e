import { type Problem, problem } from '../contract/problems.js';
import type { Protocol, ProtocolValues } from '../protocols/protocol.js';
import type { Scenario } from './scenario.js';

/** What a scenario is to run with: its options where they are known, and those of the protocol. */
interface Given {
  options?: Record<string, unknown> | undefined;
  protocolOptions?: ProtocolValues | undefined;
}

/** A problem for each verb that a scenario needs and a protocol lacks, always or with its options. */
export function verbProblems(
  { name, needs }: Pick<Scenario, 'name' | 'needs'>,
  protocol: Pick<Protocol, 'name' | 'verbs' | 'withoutVerb'>,
  { options, protocolOptions = {} }: Given = {},
  hint?: string,
): Problem[] {
  return needs(options).flatMap((verb) => {
    const lack = `scenario ${name} needs "${verb}", which protocol ${protocol.name} lacks`;
    if (!protocol.verbs.includes(verb)) return problem('missingVerb', lack, hint);
    const refusal = protocol.withoutVerb?.(verb, protocolOptions);
    return refusal ? problem('missingVerb', `${lack} ${refusal.where}`, refusal.hint) : [];
  });
}
