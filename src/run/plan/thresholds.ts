import { type Problem, problem } from '../../contract/problems.js';
import { spelled } from '../../measure/samples/distribution.js';
import {
  parseThreshold,
  samplesForFigure,
  type Threshold,
  type ThresholdSubjects,
  thresholdFault,
  thresholdForms,
} from '../../measure/threshold.js';
import { subjectsOf } from '../../results/figures.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { count } from '../../units/words.js';

/** Those that the scenario promises by itself and, in place of those about the same subject, the thresholds of these texts. They can be about a scenario's distributions, the counts of its ledger, and those that stand in its headline as shares; `problems` name the others. */
export function thresholdsOf(scenario: Scenario, texts: readonly string[], problems: Problem[]): Threshold[] {
  const subjects = subjectsOf(scenario);
  const given = texts.flatMap((text) => {
    const threshold = parseThreshold(text, subjects);
    if (!threshold) problems.push(thresholdProblem('--threshold', text, subjects));
    return threshold ?? [];
  });
  const promised = (scenario.promises ?? []).flatMap((text) => parseThreshold(text, subjects) ?? []);
  return [...promised.filter((promise) => !given.some((each) => subjectOf(each) === subjectOf(promise))), ...given];
}

/** What is wrong with a text that is no threshold about these subjects; how one is written stands in the hint. */
export function thresholdProblem(option: string, text: string, subjects: ThresholdSubjects): Problem {
  const form = `${option} takes ${thresholdForms(subjects)}.`;
  return problem('badOption', `${option}: ${thresholdFault(text, subjects)}`, form);
}

/** Why no run with these options can have the figure that a threshold is about, in words; undefined where one can, or where that is not known beforehand. */
export function lackingSamples(
  threshold: Threshold,
  scenario: Scenario,
  options: Record<string, unknown>,
): string | undefined {
  if (threshold.kind !== 'figure') return undefined;
  const { metric, figure, text } = threshold;
  const [most = Number.POSITIVE_INFINITY, needed] = [scenario.samplesAtMost(options)[metric], samplesForFigure(figure)];
  if (most >= needed) return undefined;
  return `expected a figure that such a run can have, received ${text}: ${spelled(figure)} needs ${count(needed)} samples, and it makes at most ${count(most)} of ${metric}`;
}

function subjectOf(threshold: Threshold): string {
  if (threshold.kind === 'figure') return `${threshold.metric}.${threshold.figure}`;
  return threshold.kind === 'count' ? threshold.entry : threshold.part;
}
