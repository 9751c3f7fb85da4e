import type { Doubt, FigureRule, RunFacts, RunRule } from './facts.js';
import { fleetRules } from './fleet-rules.js';
import { linkRules } from './link-rules.js';
import { loopRules } from './loop-rules.js';
import { machineRules } from './machine-rules.js';
import { targetRules } from './target-rules.js';
import { voidRules } from './void-rules.js';

/** The rules that judge a run as a whole, gravest first. */
export const runRules: readonly RunRule[] = [...voidRules, ...fleetRules];

/** The rules that mark figures of a run that stands. */
export const figureRules: readonly FigureRule[] = [...loopRules, ...machineRules, ...linkRules, ...targetRules];

/** All rules of the verdict, gravest first. */
export const verdictRules: readonly (RunRule | FigureRule)[] = [...runRules, ...figureRules];

/** Judges whether the test that ran is the one asked for, and marks each figure that the rig may have raised. */
export function judge(facts: RunFacts): {
  rig: 'clean' | 'limited' | 'void';
  evidence: { rule: string; level: 'limited' | 'void'; text: string }[];
  doubts?: Doubt[];
} {
  const evidence = runRules.flatMap(({ rule, level, check }) => {
    const text = check(facts);
    return text === undefined ? [] : [{ rule, level, text }];
  });
  const isVoid = evidence.some(({ level }) => level === 'void');
  const doubts = figureRules.flatMap(({ rule, marks }) => marks(facts).map((mark) => ({ rule, ...mark })));
  return {
    rig: isVoid ? 'void' : evidence.length > 0 ? 'limited' : 'clean',
    evidence,
    ...(doubts.length > 0 && { doubts }),
  };
}
