import { isByCrowd } from '../../measure/paired/neighbours.js';
import type { Holds, OpenReason, Statement } from '../../measure/statement.js';
import { minRuns } from '../../measure/stats/estimate.js';
import type { Comparison, JudgedRatio } from '../../results/comparison.js';
import type { Paired } from '../../results/paired.js';
import { countText } from '../../units/text.js';
import { type Line, type Tone, toned } from '../document/document.js';
import { isUnbounded, withheldInWords } from '../paired/claims.js';

/** Holds the word of each answer by its relation. All printers read their words here. */
export const statementWords = {
  differs: { yes: 'apart', no: 'equal', open: 'open' },
  meets: { yes: 'kept', no: 'broken', open: 'undecided' },
  keepsUp: { yes: 'good', no: 'jammed', open: 'doubtful' },
  below: { yes: 'as published', no: 'reversed', open: 'undecided' },
} as const satisfies Readonly<Record<string, Readonly<Record<Holds, string>>>>;

export const statementMarks = { yes: '✓', no: '✗', open: '?' } as const satisfies Readonly<Record<Holds, string>>;

export const statementTones = { yes: 'good', no: 'bad', open: 'doubtful' } as const satisfies Readonly<
  Record<Holds, Tone>
>;

/** Holds the reasons why the order of two published contenders is open here, and what would decide it. */
export const orderReasons: Readonly<Record<OpenReason, readonly [why: string, remedy: string]>> = {
  fewRuns: [`fewer than ${minRuns} valid runs`, `--repeat ${minRuns}`],
  chance: ['chance may explain the difference', 'more starts (--repeat), or a calmer machine'],
  rig: ['the load generator may have made the difference', 'more cores, or --shard on other machines'],
  noFigure: ['no scoreboard has the figure', 'nothing: Ringside does not measure it'],
  equal: ['they are equal here', 'nothing: there is no order'],
  neighbours: ['idle neighbours slow them down differently', 'more cores'],
  control: ['a server differs as much from its twin', 'more starts (--repeat), or a calmer machine'],
  lost: ['medians did not arrive', 'fewer clients (--scale)'],
  levels: ['a latency has two levels', 'more starts (--repeat)'],
  trend: ['the ratio moves within a start', 'more starts (--repeat)'],
  fewSamples: ['too few samples for the percentile', 'more broadcasts: 100 for p95, 500 for p99'],
  absent: ['a contender did not run here', 'what it takes'],
};

const changeWords = {
  better: { yes: 'better', no: 'same', open: 'undecided' },
  worse: { yes: 'worse', no: 'same', open: 'undecided' },
  changed: { yes: 'changed', no: 'same', open: 'unknown' },
} as const satisfies Readonly<Record<string, Readonly<Record<Holds, string>>>>;

/** Describes a change from a baseline in one word. `differs` means that single runs differ without a known cause. */
export function changeWord({
  relation,
  holds,
  because,
}: Pick<Statement, 'holds' | 'because'> & {
  relation: keyof typeof changeWords;
}) {
  const isOfSingleRuns = relation === 'changed' && holds === 'open' && because === 'fewRuns';
  return isOfSingleRuns ? 'differs' : changeWords[relation][holds];
}

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
