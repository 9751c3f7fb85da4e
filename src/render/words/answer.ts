import type { Clause, Declaration } from '../../measure/declaration.js';
import { countIn, shareIn } from '../../measure/ledger.js';
import type { ThresholdFigure } from '../../measure/threshold.js';
import { leastByBounds } from '../../results/figures.js';
import { resultViewOf } from '../../results/over-time/readings.js';
import type { RunResult } from '../../results/result.js';
import { countText } from '../../units/text.js';
import { footprintInWords, milliseconds, valueInWords } from './values.js';
import { starvedInWords } from './verdict-words.js';

/** Returns the answer of a run in sentences. Empty for a void run. */
export function answerInWords(result: RunResult, scenario: Declaration): string[] {
  const { verdict } = result;
  if (verdict.rig === 'void') return [];
  const starved = starvedInWords(verdict, scenario) ?? '';
  const clauses = scenario.sentence.flatMap((clause) => clauseInWords(clause, result, scenario) ?? []);
  const figures = clauses.join('; ').replaceAll('within at most ', 'within ');
  return [starved, ...findingOf(result, scenario), figures].filter((text) => text !== '').map(asSentence);
}

/** States the meaning of a run's figures in a sentence of its scenario. Empty for a void run. */
export function findingOf(result: RunResult, scenario: Declaration): string[] {
  const { metrics, ledger, verdict } = result;
  if (verdict.rig === 'void' || !scenario.finding) return [];
  return [scenario.finding(metrics, ledger, milliseconds, resultViewOf(result)) ?? []].flat();
}

function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return begun.endsWith('.') ? begun : `${begun}.`;
}

function clauseInWords(clause: Clause, result: RunResult, scenario: Declaration): string | undefined {
  if (typeof clause !== 'string') {
    const count = countIn(result.ledger, clause.count);
    const text = count === 0 ? clause.none : clause.some;
    return count === null || text === '' ? undefined : clauseInWords(text, result, scenario);
  }
  const words = clause.replaceAll(/\{(.+?)\}/g, (slot, name: string) => slotInWords(name, result, scenario) ?? slot);
  return words.includes('{') ? undefined : words;
}

function slotInWords(
  name: string,
  result: RunResult,
  { metrics: declared }: Pick<Declaration, 'metrics'>,
): string | undefined {
  const { ledger, job, environment } = result;
  if (name === 'footprint') return environment.footprint ? footprintInWords(environment.footprint) : undefined;
  const [part = '', whole] = name.split('/');
  if (whole !== undefined) {
    const share = shareIn(ledger, part, whole);
    return share === null ? undefined : valueInWords('share', share);
  }
  const [metric = '', figure] = name.split('.');
  if (figure !== undefined) return timeInWords(result, metric, figure as ThresholdFigure);
  if (Object.hasOwn(declared, name)) return timesInWords(result, name);
  const count = countIn(ledger, name) ?? job.options[name];
  return typeof count === 'number' ? countText(count) : undefined;
}

/** Returns a figure, or with a mark the most that it can be. Undefined if too few samples carry it. */
function timeInWords({ metrics, verdict }: RunResult, metric: string, figure: ThresholdFigure): string | undefined {
  const us = metrics[metric]?.[figure] ?? null;
  if (us === null) return undefined;
  return `${leastByBounds(verdict, metric, figure) === undefined ? '' : 'at most '}${milliseconds(us)} ms`;
}

const tails = { p99: '99 %', p95: '95 %', p90: '90 %', max: 'all' } as const;

/** Returns the median and the highest percentile that the samples carry: `1.50 ms (median), 99 % within 6.20 ms`. */
function timesInWords(result: RunResult, metric: string): string | undefined {
  const median = timeInWords(result, metric, 'p50');
  if (median === undefined) return undefined;
  const known = Object.entries(tails).flatMap(([figure, share]) => {
    const time = timeInWords(result, metric, figure as keyof typeof tails);
    return time === undefined ? [] : [`, ${share} within ${time}`];
  });
  return `${median} (median)${known[0] ?? ''}`;
}
