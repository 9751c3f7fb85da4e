import { type Problem, problem } from '../contract/problems.js';
import type { Protocol } from '../protocols/protocol.js';
import type { Scenario } from './scenario.js';

/** A problem for each verb that a protocol lacks for a scenario, and for these of its options where they are known. */
export function verbProblems(
  { name, needs }: Pick<Scenario, 'name' | 'needs'>,
  protocol: Pick<Protocol, 'name' | 'verbs'>,
  options?: Record<string, unknown>,
  hint?: string,
): Problem[] {
  return needs(options)
    .filter((verb) => !protocol.verbs.includes(verb))
    .map((verb) =>
      problem('missingVerb', `scenario ${name} needs "${verb}", which protocol ${protocol.name} lacks`, hint),
    );
}
