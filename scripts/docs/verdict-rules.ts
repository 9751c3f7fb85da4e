import { verdictRules } from '../../src/measure/verdict/verdict.js';

/** Head of the table of all rules of the verdict. */
export const verdictRulesHead = ['rule', 'verdict', 'speaks from', 'because'] as const;

/** A row of it for each rule, gravest first. */
export function verdictRulesRows(): string[][] {
  return verdictRules.map(({ rule, level, threshold, reason }) => [`\`${rule}\``, level, threshold, reason]);
}
