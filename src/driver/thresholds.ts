import type { Scenario } from '../contract/catalog.js';
import { subjectsOf } from '../contract/figures.js';
import { type Problem, problem } from '../contract/problems.js';
import { parseThreshold, type Threshold, thresholdForms } from '../measure/threshold.js';

/** Those that the scenario promises by itself and, in place of those about the same subject, the thresholds of these texts. They can be about a scenario's distributions, the counts of its ledger, and those that stand in its headline as shares; `problems` name the others. */
export function thresholdsOf(scenario: Scenario, texts: readonly string[], problems: Problem[]): Threshold[] {
  const subjects = subjectsOf(scenario);
  const given = texts.flatMap((text) => {
    const threshold = parseThreshold(text, subjects);
    if (!threshold)
      problems.push(problem('badOption', `--threshold: expected ${thresholdForms(subjects)}, received ${text}`));
    return threshold ?? [];
  });
  const promised = (scenario.promises ?? []).flatMap((text) => parseThreshold(text, subjects) ?? []);
  return [...promised.filter((promise) => !given.some((each) => subjectOf(each) === subjectOf(promise))), ...given];
}

function subjectOf(threshold: Threshold): string {
  if (threshold.kind === 'figure') return `${threshold.metric}.${threshold.figure}`;
  return threshold.kind === 'count' ? threshold.entry : threshold.part;
}
