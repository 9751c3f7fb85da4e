import { z } from 'zod';

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))], {
  error: 'expected text, a number, true, false or a list of texts',
});

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'expected at most forty small letters, digits and dashes');

const options = (help: string) => z.record(z.string(), value).default({}).meta({ description: help });

/** A server of your own: its name, in camelCase the options of `ringside run` that describe it, and how it starts. */
const externalTarget = z
  .object({ name: z.string(), start: z.record(z.string(), z.unknown()).optional() })
  .catchall(value);

const targets = (help: string) =>
  z
    .array(z.union([z.string(), externalTarget], { error: 'expected the name of a target, or a map with a `name`' }))
    .min(1)
    .optional()
    .meta({ description: help });

const repeat = (help: string) => z.number().int().min(1).max(1000).optional().meta({ description: help });

const required = (help: string) => z.boolean().optional().meta({ description: help });

const baseline = (help: string) => z.string().min(1).optional().meta({ description: help });

/** One scenario of a suite with its targets, options and thresholds. */
export const suiteEntry = z.strictObject({
  name: name.optional().meta({ description: 'name in results; by default that of the scenario' }),
  scenario: z.string().meta({ description: 'one of `ringside list scenarios`' }),
  targets: targets('names of targets, or maps that describe external ones; by default the targets of the suite'),
  options: options('options of `ringside compare SCENARIO`: flags in camelCase, values as on the command line'),
  repeat: repeat('runs of each target, interleaved: A B C A B C; by default as the suite says'),
  thresholds: z
    .array(z.string())
    .default([])
    .meta({ description: 'thresholds of every run: delivery.p99<200ms, lost==0, delivered>=99.9%' }),
  baseline: baseline('directory of a kept run, comparison or suite to compare with, relative to this file'),
  required: required('whether the suite fails if a target cannot start here; by default as the suite says'),
});

/** A suite: what runs, with which options, how often, and its thresholds. */
export const suiteFile = z.strictObject({
  name,
  seed: z.number().int().min(0).max(0xffff_ffff).optional().meta({
    description: 'seed of all random choices; by default a fresh one, kept with the suite',
  }),
  targets: targets('targets of entries that name none; by default all that fit the scenario'),
  repeat: repeat('default for entries; 3 if absent'),
  required: required('default for entries; false if absent'),
  baseline: baseline('directory of a kept suite to compare with, entry by entry'),
  options: options('options of every entry whose scenario has them; an entry can override them'),
  entries: z.array(suiteEntry).min(1).meta({ description: 'run one after the other' }),
});

export type SuiteTarget = string | z.output<typeof externalTarget>;
export type SuiteEntry = z.output<typeof suiteEntry>;
export type SuiteFile = z.output<typeof suiteFile>;
