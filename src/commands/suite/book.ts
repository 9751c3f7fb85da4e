import { z } from 'zod';
import { type ExitName, exitCodes } from '../../contract/exit-codes.js';
import { outsideSentence, outsideSentences } from '../../contract/outside.js';
import { resultVersion, tool } from '../../results/result.js';

/** A run that is done, and where it lies in the suite's directory. */
export const suiteRun = z.strictObject({
  entry: z.string(),
  target: z.string(),
  /** From 0. */
  round: z.number().int().min(0),
  directory: z.string(),
});

export type SuiteRun = z.output<typeof suiteRun>;

/** In the directory of an entry of a suite: what it is held against. */
export const baselineFile = 'baseline.json';

/** Of a baseline: where it was found, and what the suite before came to against it. */
const suiteBaseline = z.strictObject({
  directory: z.string(),
  /** Whether something of it was found worse before, and is held against the very same once more. */
  isCarried: z.boolean(),
  /** What that was, as `target  figure`; empty unless carried. */
  before: z.array(z.string()).default([]),
  /** What of that was told as worse for the second time already, and is not told again. */
  told: z.array(z.string()).default([]),
  /** Targets that were doubtful then and, of others, what was worse and doubtful by itself, as `target  figure`. */
  doubtful: z.array(z.string()).default([]),
  /** Targets that ran on cores of another speed then. */
  otherSpeed: z.array(z.string()).default([]),
});

/** What the nights before leave of a baseline to the next. */
export type SuiteMemory = Omit<z.output<typeof suiteBaseline>, 'directory'>;

/** What an entry is held against, or why against nothing; the baseline itself is kept in `<entry>/baseline.json`. */
export const suiteHeld = z.union([suiteBaseline, z.strictObject({ notHeld: z.string() })]);

/** With what a suite was begun: the head of both of its files. */
const suiteHead = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  name: z.string(),
  /** Of the text of its file, SHA-256 in hex. */
  hash: z.string(),
  seed: z.number().int(),
  startedAt: z.iso.datetime(),
});

/** In the directory of a suite: what of it is done. */
export const progressFile = 'progress.json';

/** `progress.json`: what a suite was begun with and what of it is done, written anew after every run. */
export const suiteProgress = z.strictObject({
  ...suiteHead.shape,
  /** What must not change between the runs of an entry. */
  entries: z.array(z.strictObject({ name: z.string(), fingerprint: z.string(), shards: z.number().int().min(1) })),
  held: z.record(z.string(), suiteHeld),
  runs: z.array(suiteRun),
});

export type SuiteProgress = z.output<typeof suiteProgress>;

/** A figure that decides, or a promise, that became better or worse than in the baseline by more than the noise. */
export const suiteChange = z.strictObject({
  /** As in thresholds; of a promise its text. */
  name: z.string(),
  /** Of a promise both values are the share of the runs that kept it. */
  kind: z.enum(['figure', 'count', 'share', 'footprint', 'promise']),
  baseline: z.number().nullable(),
  candidate: z.number().nullable(),
  judgement: z.enum(['better', 'worse']),
  /** Whether a run of either side, clean as it may be, doubts this very figure. */
  isDoubtful: z.boolean().default(false),
});

export type SuiteChange = z.output<typeof suiteChange>;

/** What the runs of one target of an entry come to. */
export const suiteRow = z.strictObject({
  target: z.string(),
  state: z.enum(['ran', 'notAvailable', 'failed']),
  /** Why it did not run; empty when it did. */
  why: outsideSentence,
  runs: z.number().int().min(0),
  verdicts: z.strictObject({ clean: z.number().int(), limited: z.number().int(), void: z.number().int() }),
  /** Promises, each counted once for every run that gave it. */
  promises: z.strictObject({ given: z.number().int(), kept: z.number().int(), broken: outsideSentences }),
  /** Titles of what ended runs otherwise than planned, each once. */
  stops: outsideSentences,
  /** Null where there was nothing to hold it against. */
  changes: z.array(suiteChange).nullable(),
  /** Whether the rig or its machine may have written the changes: on either side a run is not clean, or the cores of one were of another speed. */
  isDoubtful: z.boolean().default(false),
  /** Whether that is so by the speed of the cores. */
  hasOtherSpeed: z.boolean().default(false),
  /** Figures of the headline of which too few runs tell whether a change is more than the noise. */
  untold: z.number().int().min(0),
});

export type SuiteRow = z.output<typeof suiteRow>;

/** One entry of a suite as it came out. Its scoreboard lies beside it, in `<entry>/comparison.json`. */
export const suiteOutcome = z.strictObject({
  name: z.string(),
  scenario: z.string(),
  fingerprint: z.string(),
  repeat: z.number().int().min(1),
  isRequired: z.boolean(),
  rows: z.array(suiteRow),
  /** Of what it was held against; kept in `<entry>/baseline.json`. Null where there was none. */
  baseline: z.strictObject({ ...suiteBaseline.shape, startedAt: z.iso.datetime() }).nullable(),
  /** Why it was held against nothing, where it was to be; empty otherwise. */
  notHeld: z.string(),
  /** What else differs from the baseline: versions, settings, machines. */
  differs: outsideSentences,
  /** What was worse in the suite before already, and in one of the two without doubt, as `target  figure`. */
  again: z.array(z.string()),
});

export type SuiteOutcome = z.output<typeof suiteOutcome>;

/** In the directory of a suite: what it came to. */
export const suiteResultFile = 'suite.json';

/** `suite.json`: what a suite came to. Paths are from where it lies. */
export const suiteResult = z.strictObject({
  ...suiteHead.shape,
  endedAt: z.iso.datetime(),
  /** Whether every run was made that can be made here. */
  isComplete: z.boolean(),
  exit: z.enum(Object.keys(exitCodes) as [ExitName, ...ExitName[]]),
  entries: z.array(suiteOutcome),
});

export type SuiteResult = z.output<typeof suiteResult>;

/** What became worse in a row, as `target  figure`. */
export function worseIn({ target, changes }: Pick<SuiteRow, 'target' | 'changes'>): string[] {
  return (changes ?? []).filter(({ judgement }) => judgement === 'worse').map(({ name }) => `${target}  ${name}`);
}

/** What of a row the rig or its machine may have written, as `doubtful` of a baseline remembers it. */
export function doubtfulIn({
  target,
  changes,
  isDoubtful,
}: Pick<SuiteRow, 'target' | 'changes' | 'isDoubtful'>): string[] {
  return isDoubtful ? [target] : worseIn({ target, changes: (changes ?? []).filter((change) => change.isDoubtful) });
}

/** What of an entry was worse in the suite before already, and is no more than told, as the rig may have written it both times. */
export function doubtfulAgain({ rows, baseline, again }: SuiteOutcome): string[] {
  return rows
    .flatMap(worseIn)
    .filter((name) => baseline?.before.includes(name) && !baseline.told.includes(name) && !again.includes(name));
}

/** Whether nothing is wrong with a suite but that the rig may be in some of its numbers: no promise broken where nothing shows the rig, and no run void. */
export function isLimitedAtMost({ exit, entries }: SuiteResult): boolean {
  const isVoid = entries.some(({ rows }) => rows.some(({ verdicts }) => verdicts.void > 0));
  return exit === 'clean' || (exit === 'rig' && !isVoid);
}
