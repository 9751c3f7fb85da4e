import { z } from 'zod';
import { type ExitName, exitCodes } from './exit-codes.js';
import { resultVersion, tool } from './result.js';

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

/** What an entry is held against, or why against nothing; the baseline itself is kept in `<entry>/baseline.json`. */
export const suiteHeld = z.union([
  z.strictObject({
    /** Where it was found. */
    directory: z.string(),
    /** Whether something of it was found worse before, and is held against the very same once more. */
    isCarried: z.boolean(),
    /** What that was, as `target  figure`; empty unless carried. */
    before: z.array(z.string()),
  }),
  z.strictObject({ notHeld: z.string() }),
]);

/** In the directory of a suite: what of it is done. */
export const progressFile = 'progress.json';

/** `progress.json`: what a suite was begun with and what of it is done, written anew after every run. */
export const suiteProgress = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  name: z.string(),
  /** Of the text of its file, SHA-256 in hex. */
  hash: z.string(),
  seed: z.number().int(),
  startedAt: z.iso.datetime(),
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
});

export type SuiteChange = z.output<typeof suiteChange>;

/** What the runs of one target of an entry come to. */
export const suiteRow = z.strictObject({
  target: z.string(),
  state: z.enum(['ran', 'notAvailable', 'failed']),
  /** Why it did not run; empty when it did. */
  why: z.string(),
  runs: z.number().int().min(0),
  verdicts: z.strictObject({ clean: z.number().int(), limited: z.number().int(), void: z.number().int() }),
  /** Promises, each counted once for every run that gave it. */
  promises: z.strictObject({ given: z.number().int(), kept: z.number().int(), broken: z.array(z.string()) }),
  /** Titles of what ended runs otherwise than planned, each once. */
  stops: z.array(z.string()),
  /** Null where there was nothing to hold it against. */
  changes: z.array(suiteChange).nullable(),
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
  baseline: z
    .strictObject({
      directory: z.string(),
      startedAt: z.iso.datetime(),
      /** Whether something of it was found worse before, and is held against the very same once more. */
      isCarried: z.boolean(),
      /** What that was, as `target  figure`. */
      before: z.array(z.string()).default([]),
    })
    .nullable(),
  /** Why it was held against nothing, where it was to be; empty otherwise. */
  notHeld: z.string(),
  /** What else differs from the baseline: versions, settings, machines. */
  differs: z.array(z.string()),
  /** What was worse in the suite before already, as `target  figure`. */
  again: z.array(z.string()),
});

export type SuiteOutcome = z.output<typeof suiteOutcome>;

/** In the directory of a suite: what it came to. */
export const suiteResultFile = 'suite.json';

/** `suite.json`: what a suite came to. Paths are from where it lies. */
export const suiteResult = z.strictObject({
  schema: z.literal(resultVersion),
  tool,
  name: z.string(),
  hash: z.string(),
  seed: z.number().int(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  /** Whether every run was made that can be made here. */
  isComplete: z.boolean(),
  exit: z.enum(Object.keys(exitCodes) as [ExitName, ...ExitName[]]),
  entries: z.array(suiteOutcome),
});

export type SuiteResult = z.output<typeof suiteResult>;

/** What became worse in a row, by name. */
export function worseIn({ target, changes }: SuiteRow): string[] {
  return (changes ?? []).filter(({ judgement }) => judgement === 'worse').map(({ name }) => `${target}  ${name}`);
}

/** Whether nothing is wrong with a suite but that the rig may be in some of its numbers: no promise broken where nothing shows the rig, and no run void. */
export function isLimitedAtMost({ exit, entries }: SuiteResult): boolean {
  const isVoid = entries.some(({ rows }) => rows.some(({ verdicts }) => verdicts.void > 0));
  return exit === 'clean' || (exit === 'rig' && !isVoid);
}
