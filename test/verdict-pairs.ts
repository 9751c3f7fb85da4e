import { describe, expect, it } from 'vitest';
import type { FigureRule, RunFacts, RunRule } from '../src/measure/verdict/facts.js';

/** Runs that a rule speaks against, and others close by of which it has nothing to say. */
interface Pair {
  speaks: RunFacts[];
  silent: RunFacts[];
}

function saidBy(rule: RunRule | FigureRule, facts: RunFacts): string | undefined {
  if ('check' in rule) return rule.check(facts);
  const texts = rule.bounds(facts).map(({ text }) => text);
  return texts.length > 0 ? texts.join('; ') : undefined;
}

/** Tests each rule by a pair of its own, and that every rule has one. */
export function holdPairs(rules: readonly (RunRule | FigureRule)[], pairs: Readonly<Record<string, Pair>>): void {
  it('has a run that each rule speaks against, and a neighbour', () => {
    expect(Object.keys(pairs).sort()).toEqual(rules.map(({ rule }) => rule).sort());
    for (const { speaks, silent } of Object.values(pairs))
      expect(Math.min(speaks.length, silent.length)).toBeGreaterThan(0);
  });

  describe.each(rules.map((rule) => [rule.rule, rule] as const))('%s', (name, rule) => {
    it.each(pairs[name]?.speaks ?? [])('speaks, with figures', (facts) => {
      const said = saidBy(rule, facts);
      expect(said).toMatch(/\w/);
      expect(said).not.toMatch(/undefined|NaN|null|Infinity/);
    });

    it.each(pairs[name]?.silent ?? [])('is silent', (facts) => expect(saidBy(rule, facts)).toBeUndefined());
  });
}
