import type { Holds, OpenReason } from '../../measure/statement.js';
import { minRuns } from '../../measure/stats/estimate.js';

/** The word of each answer by its relation. All printers read their words here. */
export const statementWords = {
  differs: { yes: 'apart', no: 'equal', open: 'open' },
  meets: { yes: 'kept', no: 'broken', open: 'undecided' },
  keepsUp: { yes: 'good', no: 'jammed', open: 'doubtful' },
  below: { yes: 'as published', no: 'reversed', open: 'undecided' },
  inOrder: { yes: 'same', no: 'different', open: 'undecided' },
} as const satisfies Readonly<Record<string, Readonly<Record<Holds, string>>>>;

/** The mark of each answer in a terminal. */
export const statementMarks = { yes: '✓', no: '✗', open: '?' } as const satisfies Readonly<Record<Holds, string>>;

/** Why the order of two published contenders is open here. */
export const orderReasons: Readonly<Partial<Record<OpenReason, string>>> = {
  fewRuns: `fewer than ${minRuns} valid runs`,
  chance: 'chance may explain the difference',
  rig: 'the rig may have made the difference',
  noFigure: 'no scoreboard has the figure',
};
