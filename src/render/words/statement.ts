import type { Holds, OpenReason, Statement } from '../../measure/statement.js';
import { minRuns } from '../../measure/stats/estimate.js';
import type { Tone } from '../document/document.js';

/** Holds the word of each answer by its relation. All printers read their words here. */
export const statementWords = {
  differs: { yes: 'apart', no: 'equal', open: 'open' },
  meets: { yes: 'kept', no: 'broken', open: 'undecided' },
  keepsUp: { yes: 'good', no: 'jammed', open: 'doubtful' },
  below: { yes: 'as published', no: 'reversed', open: 'undecided' },
} as const satisfies Readonly<Record<string, Readonly<Record<Holds, string>>>>;

/** Holds the mark of each answer in a terminal. */
export const statementMarks = { yes: '✓', no: '✗', open: '?' } as const satisfies Readonly<Record<Holds, string>>;

/** Holds the tone of each answer. */
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
