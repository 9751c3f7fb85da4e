import type { Scenario } from '../contract/catalog.js';
import { type Problem, problem } from '../contract/problems.js';
import { parseThreshold, type Threshold, thresholdForms } from '../measure/threshold.js';

/** The thresholds of these texts. They can be about a scenario's distributions, the counts of its ledger, and those that stand in its headline as shares; `problems` name the others. */
export function thresholdsOf(scenario: Scenario, texts: readonly string[], problems: Problem[]): Threshold[] {
  const { entries } = scenario.ledger({ counts: {}, causes: {}, series: {}, timeline: {} });
  const subjects = {
    metrics: Object.keys(scenario.metrics),
    counts: Object.keys(entries).filter((name) => typeof entries[name] === 'number'),
    shares: scenario.headline.flatMap((column) => (column.kind === 'share' ? column : [])),
  };
  return texts.flatMap((text) => {
    const threshold = parseThreshold(text, subjects);
    if (!threshold)
      problems.push(problem('badOption', `--threshold: expected ${thresholdForms(subjects)}, received ${text}`));
    return threshold ?? [];
  });
}
