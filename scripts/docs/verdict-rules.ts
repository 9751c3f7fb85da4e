import { verdictRules } from '../../src/measure/verdict/verdict.js';

/** Head of the table of all verdict rules. */
export const verdictRulesHead = ['rule', 'verdict', 'applies from', 'because'] as const;

/** One row per rule, the most serious first. */
export function verdictRulesRows(): string[][] {
  return verdictRules.map(({ rule, level, threshold, reason }) => [
    `\`${rule}\``,
    level === 'figure' ? 'marks figures' : level,
    threshold,
    reason,
  ]);
}
