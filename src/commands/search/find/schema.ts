import { z } from 'zod';
import { outsideSentence, outsideSentences } from '../../../contract/outside.js';
import { resultVersion, tool } from '../../../results/result.js';
import { searchTry } from '../try.js';

const figure = z.number().nullable();

/** One run of a search: it is good if it kept the threshold and did not fall behind ever more. */
export const findingPoint = searchTry.extend({
  /** How long its load was to last. */
  durationMs: z.number(),
  figure,
  /** The least that the figure can be, by its bracket and all marks. */
  leastUs: figure,
});

export type FindingPoint = z.output<typeof findingPoint>;

export const findingFile = 'finding.json';

/** What a search says of its threshold. */
export const answers = ['found', 'keptAtAll', 'brokenAtAll', 'undecided'] as const;

/** `finding.json`: up to which rate a target keeps a threshold. Rates are per second, figures in microseconds. */
export const finding = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  scenario: z.string(),
  target: z.string(),
  metric: z.string(),
  percentile: z.string(),
  unit: z.string(),
  limit: z.number(),
  repeat: z.number().int(),
  /** The shortest load of a run. */
  durationMs: z.number(),
  answer: z.enum(answers),
  /** Why it is undecided. */
  why: outsideSentences,
  /** From the highest rate that all its runs kept to the lowest that none of its runs kept. */
  interval: z.tuple([figure, figure]),
  /** Why no further rate ran, where something else than the answer ended the search. */
  endedBecause: outsideSentence,
  points: z.array(findingPoint),
});

export type Finding = z.output<typeof finding>;
