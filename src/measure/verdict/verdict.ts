import { doubtRules, doubtsOf } from './doubts.js';
import type { Doubt, RunFacts, VerdictRule } from './facts.js';
import { fleetRules } from './fleet-rules.js';
import { linkRules } from './link-rules.js';
import { loopRules } from './loop-rules.js';
import { voidRules } from './void-rules.js';

/** The rules of the verdict, gravest first. */
export const verdictRules: readonly VerdictRule[] = [
  ...voidRules,
  ...loopRules,
  ...fleetRules,
  ...linkRules,
  ...doubtRules,
];

/** Judges whose numbers a run has: `clean`, `limited` (the rig may have moved them) or `void`, with all evidence. */
export function judge(facts: RunFacts): {
  rig: 'clean' | 'limited' | 'void';
  evidence: { rule: string; level: 'limited' | 'void'; text: string }[];
  doubts?: Doubt[];
} {
  const evidence = verdictRules.flatMap(({ rule, level, check }) => {
    const text = check(facts);
    return text === undefined ? [] : [{ rule, level, text }];
  });
  const isVoid = evidence.some(({ level }) => level === 'void');
  const doubts = doubtsOf(facts);
  return {
    rig: isVoid ? 'void' : evidence.length > 0 ? 'limited' : 'clean',
    evidence,
    ...(doubts.length > 0 && { doubts }),
  };
}
