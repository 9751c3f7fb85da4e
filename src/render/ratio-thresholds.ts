import { isByCrowd } from '../measure/paired/crowd.js';
import type { Comparison, JudgedRatio } from '../results/comparison.js';
import type { Paired } from '../results/paired.js';
import { countText } from '../units/text.js';
import { type Line, toned } from './document/document.js';
import { isUnbounded, withheldInWords } from './paired/words.js';
import { statementMarks, statementTones, statementWords } from './words/statement.js';

type Judged = Pick<Comparison, 'ratioThresholds' | 'paired'>;

/** Formats a line for each ratio with a limit, and one if some servers kept their processes. Empty without either. */
export function ratioThresholdLines({ ratioThresholds = [], paired }: Judged): Line[] {
  const lines = ratioThresholds.map((each): Line => {
    const { holds, text } = each;
    const why = holds === 'open' && paired ? whyWithheld(paired, each) : '';
    const mark = { text: statementMarks[holds], tone: statementTones[holds] };
    return [mark, ' ', toned.code(text), `  ${judgedInWords(each)}, ${statementWords.meets[holds]}${why}`];
  });
  return [...lines, ...sameProcessesLines(paired)];
}

/** Returns the reason why nothing is claimed of two targets. Empty if only their noise prevents a claim. */
function whyWithheld(paired: Paired, { a, b }: JudgedRatio): string {
  if (paired.withheld.length > 0) return `, as ${withheldInWords(paired)}`;
  return isByCrowd(paired.crowd, a, b) ? `, as idle neighbours slow ${a} and ${b} down by different shares` : '';
}

/** Formats a ratio with its bounds, `1.021× [0.985 – 1.058]`, or two totals. */
export function judgedInWords({ ratio, totals, bounds, boundsAtLeast, holds, bound, of }: JudgedRatio): string {
  if (totals) return `${countText(totals[0])} against ${countText(totals[1])}`;
  if (ratio === null) return `no ratio of ${of} can be stated`;
  const inWords = ([low, high]: readonly [number, number]): string => `[${times(low)} – ${times(high)}]`;
  const said = `${times(ratio)}×${bounds ? ` ${inWords(bounds)}` : ''}`;
  const hasBound = (range: readonly [number, number] | null): boolean =>
    range !== null && range[0] <= bound && bound <= range[1];
  if (holds !== 'open' || hasBound(bounds) || !boundsAtLeast || !hasBound(boundsAtLeast)) return said;
  return `${said}, without what the load generator may add ${inWords(boundsAtLeast)}`;
}

function times(ratio: number): string {
  return isUnbounded(ratio) ? '∞' : ratio.toPrecision(4);
}

function sameProcessesLines(paired: Paired | undefined): string[] {
  const names = paired?.sameProcesses ?? [];
  if (names.length === 0) return [];
  const whose = names.length === 1 ? 'its processes' : 'their processes';
  return [
    `${names.join(', ')}: neither started nor restarted by Ringside, so the ratios speak for ${whose} as they ran here`,
  ];
}
