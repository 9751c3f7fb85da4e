import type { Declaration } from '../../measure/declaration.js';
import { headlineValue } from '../../results/figures.js';
import { toldOf } from '../../results/over-time/readings.js';
import type { RunResult } from '../../results/result.js';
import { milliseconds } from './figures.js';
import { valueInWords } from './values.js';
import { leastInWords, starvedInWords, withMark } from './verdict-words.js';

/**
 * The answer of a run: that others kept the target from its cores, if they did; what its figures mean; then every
 * headline figure with its mark; nothing of a void run.
 */
export function headline(result: RunResult, scenario: Declaration): string[] {
  const figures = scenario.headline.flatMap((column) => {
    const value = headlineValue(column, result);
    if (value === null || result.verdict.rig === 'void') return [];
    const unit = { figure: ' ms', footprint: ' bytes', count: '', share: '' }[column.kind];
    const text = `${valueInWords(column.kind, value)}${unit}`;
    const least = column.kind === 'figure' ? leastInWords(result.verdict, column.metric, column.figure) : undefined;
    return [`${column.title} ${withMark(text, least)}`];
  });
  const starved = starvedInWords(result.verdict, scenario);
  if (figures.length === 0) return [];
  return [...(starved === undefined ? [] : [starved]), ...findingOf(result, scenario), figures.join(' · ')];
}

/** What the figures of a run mean, in a sentence of its scenario; nothing of a void run. */
export function findingOf(result: RunResult, scenario: Declaration): string[] {
  const { metrics, ledger, verdict } = result;
  if (verdict.rig === 'void' || !scenario.finding) return [];
  return [scenario.finding(metrics, ledger, milliseconds, toldOf(result)) ?? []].flat();
}
