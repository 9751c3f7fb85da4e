import { createHash } from 'node:crypto';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { type SuiteFile, suiteFile } from './suite-file.js';

/** A place in a file: keys and indices from the top. */
export type Place = readonly (string | number)[];

/** A suite's file, and where everything stands in it. */
export interface SuiteText {
  /** As the user named it. */
  path: string;
  file: SuiteFile;
  /** SHA-256 of the text, in hex. */
  hash: string;
  /** What is wrong with its form; `file` is then without it, so that the rest can be told of as well. */
  problems: readonly Problem[];
  /** What is wrong at a place of the file: `suite.yml:7:5 entries[0].repeat: expected …`. */
  wrong(place: Place, text: string): Problem;
}

const hint = 'What a suite may hold is described by `ringside schema suite`.';

/** Reads a suite, YAML or JSON. Throws `ProblemError` where it is no suite at all; what else is wrong with its form stands in `problems`. */
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
  const wrong = (place: Place, said: string): Problem => {
    const where = at(offsetOf(document.contents, place));
    return problem('badFile', `${where} ${placeInWords(place) || 'the file'}: ${said}`, hint);
  };
  const json = plain(path, () => document.toJS());
  const hash = createHash('sha256').update(text).digest('hex');
  const parsed = suiteFile.safeParse(json);
  if (parsed.success) return { path, file: parsed.data, hash, problems: [], wrong };
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, json, wrong));
  const rest = suiteFile.safeParse(without(json, parsed.error.issues));
  if (!rest.success) throw new ProblemError(problems);
  return { path, file: rest.data, hash, problems, wrong };
}

/** The same without what is wrong; a name is made up, for a suite must have one. Lists other than that of the entries go whole: their items have no names. */
function without(json: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const rest = structuredClone(json);
  for (const issue of issues) {
    const place = issue.path as Place;
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...place, key]) : [place];
    for (const key of keys) remove(rest, key);
  }
  return typeof rest === 'object' && rest !== null && !('name' in rest) ? { ...rest, name: 'unnamed' } : rest;
}

function remove(holder: unknown, place: Place): void {
  const [step, next] = place;
  if (typeof holder !== 'object' || holder === null || step === undefined) return;
  const isEntries = step === 'entries' && place.length > 2;
  if (next === undefined || (typeof next === 'number' && !isEntries)) delete (holder as Record<string, unknown>)[step];
  else remove((holder as Record<string, unknown>)[step], place.slice(1));
}

/** `entries[0].options.rate`. */
function placeInWords(place: Place): string {
  return place
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** Aliases that lead nowhere, or to more than a file should hold, are found only here. */
function plain(path: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new ProblemError([problem('badFile', `${path}: ${(error as Error).message}`, hint)]);
  }
}

/** Where a place begins: the key of an entry, or an item; of one that is not there, what would hold it. */
function offsetOf(node: unknown, place: Place): number {
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

function problemsOf(issue: z.core.$ZodIssue, json: unknown, wrong: SuiteText['wrong']): Problem[] {
  const place = issue.path as Place;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => wrong([...place, key], 'expected a known key, received one that nothing has'));
  const value = place.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], json);
  const expected = issue.message.replace(/^[^:]*: (?=expected)/, '').replace(/, received \w+$/, '');
  return [wrong(place, `${expected}, received ${received(value)}`)];
}

/** A map or a list is never shown: it may hold a key. */
function received(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' ? 'a map' : JSON.stringify(value).slice(0, 80);
}
