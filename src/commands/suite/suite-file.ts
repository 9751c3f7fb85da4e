import { z } from 'zod';

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))], {
  error: 'expected text, a number, true, false or a list of texts',
});

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'expected at most forty small letters, digits and dashes');

const options = (help: string) => z.record(z.string(), value).default({}).meta({ description: help });

/** A target that runs already: its name and, in camelCase, the options of `ringside run` that say where it is. */
const ownTarget = z.object({ name: z.string() }).catchall(value);

const targets = (help: string) =>
  z
    .array(z.union([z.string(), ownTarget], { error: 'expected the name of a target, or a map with a `name`' }))
    .min(1)
    .optional()
    .meta({ description: help });

const repeat = (help: string) => z.number().int().min(1).max(1000).optional().meta({ description: help });

const required = (help: string) => z.boolean().optional().meta({ description: help });

/** One scenario of a suite, with all that is run of it. */
export const suiteEntry = z.strictObject({
  name: name.optional().meta({ description: 'what it is called in results; by default as its scenario' }),
  scenario: z.string().meta({ description: 'one of `ringside list scenarios`' }),
  targets: targets(
    'targets to start, of `ringside list targets`, and such that run already, as maps, or named where the file has the map elsewhere; by default those of the suite',
  ),
  options: options('options of `ringside compare SCENARIO`: flags in camelCase, values as on the command line'),
  repeat: repeat('runs of each target, interleaved: A B C A B C; by default as often as the suite says'),
  thresholds: z
    .array(z.string())
    .default([])
    .meta({ description: 'what every run must keep: delivery.p99<200ms, lost==0, delivered>=99.9%' }),
  baseline: z.string().min(1).optional().meta({
    description: 'directory of a kept run, comparison or suite to hold the entry against, from where the file lies',
  }),
  required: required('whether a target that cannot be started here fails the suite; by default as the suite says'),
});

/** A suite: what is run, with what options, how often, and what it must keep. */
export const suiteFile = z.strictObject({
  name,
  seed: z.number().int().min(0).max(0xffff_ffff).optional().meta({
    description: 'of every random choice of all runs; by default a fresh one, kept with the suite',
  }),
  targets: targets('targets of every entry that names none: those that have what its scenario needs; by default all'),
  repeat: repeat('of every entry that says nothing else; by default 3'),
  required: required('of every entry that says nothing else; by default false'),
  baseline: z.string().min(1).optional().meta({
    description: 'directory of a kept suite whose entries of the same name and shape these are held against',
  }),
  options: options('options of every entry whose scenario has them; the entry’s own come first'),
  entries: z.array(suiteEntry).min(1).meta({ description: 'run one after the other' }),
});

export type SuiteTarget = string | z.output<typeof ownTarget>;
export type SuiteEntry = z.output<typeof suiteEntry>;
export type SuiteFile = z.output<typeof suiteFile>;
