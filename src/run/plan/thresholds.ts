import { type Problem, problem } from '../../contract/problems.js';
import {
  isRatioText,
  parseRatioThreshold,
  type RatioThreshold,
  ratioForm,
} from '../../measure/paired/ratio-threshold.js';
import { spelled } from '../../measure/samples/distribution.js';
import {
  parseThreshold,
  samplesForFigure,
  type Threshold,
  type ThresholdSubjects,
  thresholdFault,
  thresholdForms,
} from '../../measure/threshold.js';
import { figureName, subjectsOf } from '../../results/figures.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { count } from '../../units/words.js';
import type { PairedOptions } from './run-options.js';

/** The thresholds of these texts, and the scenario's about other subjects. Wrong texts are added to `problems`. */
export function thresholdsOf(scenario: Scenario, texts: readonly string[], problems: Problem[]): Threshold[] {
  const subjects = subjectsOf(scenario);
  const given = texts.flatMap((text) => {
    const threshold = parseThreshold(text, subjects);
    if (!threshold) problems.push(thresholdProblem('--threshold', text, subjects));
    return threshold ?? [];
  });
  const ofScenario = (scenario.thresholds ?? []).flatMap((text) => parseThreshold(text, subjects) ?? []);
  return [
    ...ofScenario.filter((threshold) => !given.some((each) => subjectOf(each) === subjectOf(threshold))),
    ...given,
  ];
}

/** The texts that limit a run, and those that limit the ratio of two targets. */
export function apartRatios(texts: readonly string[]): { ofRuns: string[]; ofRatios: string[] } {
  return { ofRuns: texts.filter((text) => !isRatioText(text)), ofRatios: texts.filter(isRatioText) };
}

/** The ratios of these texts in a comparison of these targets. Everything wrong is added to `problems`. */
export function ratiosOf(
  scenario: Scenario,
  design: PairedOptions['design'],
  targets: readonly string[],
  texts: readonly string[],
  problems: Problem[],
): RatioThreshold[] {
  const subjects = { targets, figures: ratioFigures(scenario, design), counts: subjectsOf(scenario).counts };
  return texts.flatMap((text) => {
    const read = parseRatioThreshold(text, subjects);
    if (!('faults' in read)) return read;
    const hint = `--threshold takes ${ratioForm(subjects)}.`;
    problems.push(...read.faults.map((fault) => problem('badOption', `--threshold: ${fault}`, hint)));
    return [];
  });
}

/** The figures by which a comparison of that design compares targets. */
function ratioFigures({ slots, headline }: Scenario, design: PairedOptions['design']): string[] {
  if (design === 'paired' && slots) return [`${slots.metric}.p50`, `${slots.metric}.last`];
  return [...new Set(headline.flatMap((column) => (column.kind === 'figure' ? [figureName(column)] : [])))];
}

/** Why a text is no threshold about these subjects; the hint shows the form. */
export function thresholdProblem(option: string, text: string, subjects: ThresholdSubjects): Problem {
  const form = `${option} takes ${thresholdForms(subjects)}.`;
  return problem('badOption', `${option}: ${thresholdFault(text, subjects)}`, form);
}

/** Why a run with these options has too few samples for a threshold; undefined if it has enough, or if unknown. */
export function lackingSamples(
  threshold: Threshold,
  scenario: Scenario,
  options: Record<string, unknown>,
): string | undefined {
  if (threshold.kind !== 'figure') return undefined;
  const { metric, figure, text } = threshold;
  const [most = Number.POSITIVE_INFINITY, needed] = [scenario.samplesAtMost(options)[metric], samplesForFigure(figure)];
  if (most >= needed) return undefined;
  const lacking = `${spelled(figure)} needs ${count(needed)} samples`;
  return `${text}: ${lacking}, and the run has at most ${count(most)} of ${metric}; run longer, or drop it`;
}

function subjectOf(threshold: Threshold): string {
  if (threshold.kind === 'figure') return `${threshold.metric}.${threshold.figure}`;
  return threshold.kind === 'count' ? threshold.entry : threshold.part;
}
