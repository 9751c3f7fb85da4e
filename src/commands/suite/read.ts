import { createHash } from 'node:crypto';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { z } from 'zod';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))], {
  error: 'expected text, a number, true, false or a list of texts',
});

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'expected at most forty small letters, digits and dashes');

const options = (help: string) => z.record(z.string(), value).default({}).meta({ description: help });

/** Describes a server of your own: its name, how it starts, and in camelCase the options of `ringside run` for it. */
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

/** Describes one scenario of a suite with its targets, options and thresholds. */
const suiteEntry = z.strictObject({
  name: name.optional().meta({ description: 'name in results; by default that of the scenario' }),
  scenario: z.string().meta({ description: 'one of `ringside list scenarios`' }),
  targets: targets('names of targets, or maps that describe external ones; by default the targets of the suite'),
  options: options('options of `ringside compare SCENARIO`: flags in camelCase, values as on the command line'),
  design: z.enum(['paired', 'runs']).default('runs').meta({
    description: '`paired`: all targets at once in turn, as `ringside compare` does; by default whole runs in turn',
  }),
  repeat: repeat('whole runs of each target, in turn: A B C A B C; by default as the suite says'),
  thresholds: z
    .array(z.string())
    .default([])
    .meta({ description: 'thresholds of every run: delivery.p99<200ms, lost==0, delivered>=99.9%' }),
  baseline: baseline('directory of a kept run, comparison or suite to compare with, relative to this file'),
  required: required('whether the suite fails if a target cannot start here; by default as the suite says'),
});

/** Describes a suite: what runs, with which options, how often, and its thresholds. */
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
type SuiteFile = z.output<typeof suiteFile>;

/** Names a place in a file by keys and indices from the top. */
export type SuitePath = readonly (string | number)[];

/** Holds a suite file with the positions of its keys. */
export interface SuiteText {
  path: string;
  file: SuiteFile;
  /** SHA-256 of the text, in hex. */
  hash: string;
  /** Problems of wrong parts. `file` lacks these parts, so that its other problems can be found too. */
  problems: readonly Problem[];
  /** Adds a problem at a place: `suite.yml:7:5 entries[0].repeat: expected …`. */
  wrong(place: SuitePath, text: string): void;
}

const hint = '`ringside schema suite` describes a suite file.';

/** Reads a suite in YAML or JSON. Throws `ProblemError` if it is no suite at all. */
export function readSuite(path: string, text: string): SuiteText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0)
    throw new ProblemError(faults.map(({ message, pos }) => problem('badFile', `${at(pos[0])} ${message}`, hint)));
  const problems: Problem[] = [];
  const wrong = (place: SuitePath, said: string): void => {
    const where = at(offsetOf(document.contents, place));
    problems.push(problem('badFile', `${where} ${placeInWords(place) || 'the file'}: ${said}`, hint));
  };
  let json: unknown;
  try {
    // Aliases that are unresolved or too many are found only by the conversion.
    json = document.toJS();
  } catch (error) {
    throw problemError('badFile', `${path}: ${(error as Error).message}`, hint);
  }
  const hash = createHash('sha256').update(text).digest('hex');
  const parsed = suiteFile.safeParse(json);
  if (parsed.success) return { path, file: parsed.data, hash, problems, wrong };
  for (const issue of parsed.error.issues) checkIssue(issue, json, wrong);
  const rest = suiteFile.safeParse(without(json, parsed.error.issues));
  if (!rest.success) throw new ProblemError(problems);
  return { path, file: rest.data, hash, problems, wrong };
}

/** Returns the document without its wrong parts, and with a name. A list with a wrong item is removed whole. */
function without(json: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const rest = structuredClone(json);
  for (const issue of issues) {
    const place = issue.path as SuitePath;
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...place, key]) : [place];
    for (const key of keys) remove(rest, key);
  }
  return typeof rest === 'object' && rest !== null && !('name' in rest) ? { ...rest, name: 'unnamed' } : rest;
}

function remove(holder: unknown, place: SuitePath): void {
  const [step, next] = place;
  if (typeof holder !== 'object' || holder === null || step === undefined) return;
  const isEntries = step === 'entries' && place.length > 2;
  if (next === undefined || (typeof next === 'number' && !isEntries)) delete (holder as Record<string, unknown>)[step];
  else remove((holder as Record<string, unknown>)[step], place.slice(1));
}

function placeInWords(place: SuitePath): string {
  return place
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

function offsetOf(node: unknown, place: SuitePath): number {
  const own = (node as Node | null)?.range?.[0] ?? 0;
  const [step, ...rest] = place;
  if (step === undefined) return own;
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return item === undefined ? own : offsetOf(item, rest);
  }
  if (!isMap(node)) return own;
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
  if (!pair) return own;
  if (rest.length > 0 && (isMap(pair.value) || isSeq(pair.value))) return offsetOf(pair.value, rest);
  return (pair.key as Node).range?.[0] ?? own;
}

function checkIssue(issue: z.core.$ZodIssue, json: unknown, wrong: SuiteText['wrong']): void {
  const place = issue.path as SuitePath;
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) wrong([...place, key], 'expected a known key, received an unknown one');
    return;
  }
  const value = place.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], json);
  const expected = issue.message.replace(/^[^:]*: (?=expected)/, '').replace(/, received \w+$/, '');
  wrong(place, `${expected}, received ${received(value)}`);
}

/** Describes a value. Maps and lists are never shown, because they may contain a secret. */
function received(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' ? 'a map' : JSON.stringify(value).slice(0, 80);
}
