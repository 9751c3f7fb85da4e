import type { HeadlineColumn } from '../../measure/declaration.js';
import { spelled } from '../../measure/samples/distribution.js';
import { parseThreshold, samplesForFigure } from '../../measure/threshold.js';
import type { RunResult } from '../../results/result.js';
import { count, shareOf } from '../../units/words.js';
import { milliseconds } from './figures.js';

/** A figure in words, without its unit: microseconds as milliseconds, a share as a percentage, counts and bytes as they are. A figure that there is not is a dash. */
export function valueInWords(kind: HeadlineColumn['kind'], value: number | null): string {
  if (value === null) return milliseconds(null);
  switch (kind) {
    case 'figure':
      return milliseconds(value);
    case 'count':
      return countInWords(value);
    case 'share':
      return shareOf(value, 1);
    case 'footprint':
      return count(Math.round(value));
  }
}

/** A count, or a rate, which an interval makes of more digits than it has: a tenth of it from 100 on, a hundredth below. */
export function countInWords(value: number): string {
  const digits = 10 ** (Math.abs(value) < 100 ? 2 : 1);
  return count(Math.round(value * digits) / digits);
}

/** The title of a column with its unit, where the figures below it don't say theirs. */
export function titleInWords({ title, kind }: Pick<HeadlineColumn, 'title' | 'kind'>): string {
  return kind === 'figure' ? `${title}, ms` : title;
}

/** What a run has to say of a promise. */
export function promisedInWords(
  { kind, value, text }: RunResult['thresholds'][number],
  metrics: RunResult['metrics'],
): string {
  if (value === null) return whyNoFigure(text, metrics);
  return kind === 'figure' ? `${valueInWords(kind, value)} ms` : valueInWords(kind, value);
}

/** Why a run of these distributions has no figure for a promise. */
function whyNoFigure(text: string, metrics: RunResult['metrics']): string {
  const promise = parseThreshold(text, { metrics: Object.keys(metrics), counts: [], shares: [] });
  if (promise?.kind !== 'figure') return 'no figure: nothing was counted or timed of it';
  const { count: measured = 0, unfinished = 0 } = metrics[promise.metric] ?? {};
  const [all, needed] = [measured + unfinished, samplesForFigure(promise.figure)];
  if (all === 0) return 'no figure: no samples';
  if (all < needed)
    return `no figure: ${spelled(promise.figure)} needs ${count(needed)} samples, received ${count(all)}`;
  return `no figure: ${count(unfinished)} of ${count(all)} took longer than the run`;
}
