import { type Problem, problem } from '../../contract/problems.js';
import { spelled } from '../../measure/samples/distribution.js';
import {
  parseRatioThreshold,
  parseThreshold,
  type RatioThreshold,
  ratioForm,
  type SeriesThreshold,
  samplesForFigure,
  type Threshold,
  type ThresholdSubjects,
  thresholdFault,
  thresholdForms,
} from '../../measure/threshold.js';
import { optionsOf } from '../../options/option.js';
import { figureName, subjectsOf } from '../../results/figures.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { queriesIn } from '../../targets/observe/queries.js';
import { countText } from '../../units/text.js';
import { units } from '../../units/unit.js';
import type { PairedOptions } from './run-options.js';

/** Parses thresholds, and adds the scenario's own about other subjects. Wrong texts are added to `problems`. */
export function thresholdsOf(
  scenario: Scenario,
  texts: readonly string[],
  problems: Problem[],
  series: readonly string[] = [],
): Threshold[] {
  const subjects = { ...subjectsOf(scenario), series: queriesIn(series).map(({ name }) => name) };
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

/** Parses a condition on a figure of these `--series`. Undefined with its fault added to `problems`. */
export function seriesThreshold(
  option: string,
  text: string,
  series: readonly string[],
  problems: Problem[],
): SeriesThreshold | undefined {
  const subjects = { metrics: [], counts: [], shares: [], series: queriesIn(series).map(({ name }) => name) };
  const limit = parseThreshold(text, subjects);
  if (limit?.kind === 'series') return limit;
  problems.push(thresholdProblem(option, text, subjects));
  return undefined;
}

/** Parses the ratios of a comparison of these targets. Everything wrong is added to `problems`. */
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

function ratioFigures({ slots, headline }: Scenario, design: PairedOptions['design']): string[] {
  if (design === 'paired' && slots) return [`${slots.metric}.p50`, `${slots.metric}.last`];
  return [...new Set(headline.flatMap((column) => (column.kind === 'figure' ? [figureName(column)] : [])))];
}

/** Explains why a text is no threshold about these subjects. The hint shows the form. */
export function thresholdProblem(option: string, text: string, subjects: ThresholdSubjects): Problem {
  const form = `${option} takes ${thresholdForms(subjects)}.`;
  return problem('badOption', `${option}: ${thresholdFault(text, subjects)}`, form);
}

/** Explains why a run with these options can't have the figure of a threshold, with advice; undefined if it can. */
export function lackingSamples(
  threshold: Threshold,
  scenario: Scenario,
  options: Record<string, unknown>,
  advice?: string,
): string | undefined {
  if (threshold.kind !== 'figure') return undefined;
  const { metric, figure, text } = threshold;
  const mostOf = (given: Record<string, unknown>): number =>
    scenario.independentAtMost(given)[metric] ?? Number.POSITIVE_INFINITY;
  const [most, needed] = [mostOf(options), samplesForFigure(figure)];
  if (most >= needed) return undefined;
  const events = scenario.metrics[metric]?.independent;
  const what = events ? `${events.name}s` : `samples of ${metric}`;
  const lacking = `${spelled(figure)} needs ${countText(needed)} ${what}, and the run has at most ${countText(most)}`;
  return `${text}: ${lacking}: ${advice ?? enlarged(scenario, options, { most, needed }, mostOf)}`;
}

function enlarged(
  { options: schema, sizes }: Scenario,
  options: Record<string, unknown>,
  { most, needed }: { most: number; needed: number },
  mostOf: (options: Record<string, unknown>) => number,
): string {
  const known = optionsOf(schema);
  for (const size of sizes) {
    const { flag, unit = 'count' } = known.find(({ key }) => key === size) ?? {};
    const step = unit === 'duration' ? 1000 : 1;
    const value = Math.ceil((Number(options[size]) * needed) / most / step) * step;
    if (flag !== undefined && Number.isFinite(value) && mostOf({ ...options, [size]: value }) >= needed)
      return `use --${flag} ${units[unit].print(value)}`;
  }
  return 'drop it';
}

function subjectOf(threshold: Threshold): string {
  if (threshold.kind === 'figure' || threshold.kind === 'series') return `${threshold.metric}.${threshold.figure}`;
  return threshold.kind === 'count' ? threshold.entry : threshold.part;
}
