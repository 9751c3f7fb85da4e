import type { FigureRule, RuledBound, RunFacts } from './facts.js';
import { loopRules } from './loop-rules.js';
import { linkRules, machineRules, targetRules } from './machine-rules.js';
import { runRules } from './run-rules.js';

export const figureRules: readonly FigureRule[] = [...loopRules, ...machineRules, ...linkRules, ...targetRules];

export const verdictRules = [...runRules, ...figureRules.map((rule) => ({ ...rule, level: 'figure' as const }))];

/** Judges if the test that ran is the one asked for. Marks each figure that the rig may have raised. */
export function judge(facts: RunFacts): {
  rig: 'clean' | 'limited' | 'void';
  evidence: { rule: string; level: 'limited' | 'void'; text: string }[];
  bounds?: RuledBound[];
} {
  const evidence = runRules.flatMap(({ rule, level, check }) => {
    const text = check(facts);
    return text === undefined ? [] : [{ rule, level, text }];
  });
  const isVoid = evidence.some(({ level }) => level === 'void');
  const bounds = figureRules.flatMap((each) => each.bounds(facts).map((bound) => ({ rule: each.rule, ...bound })));
  return {
    rig: isVoid ? 'void' : evidence.length > 0 ? 'limited' : 'clean',
    evidence,
    ...(bounds.length > 0 && { bounds }),
  };
}
