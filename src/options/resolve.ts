import type { z } from 'zod';
import { parseDecimal, units } from '../units/unit.js';
import { fileKey, type Option, optionsOf, variablesOf } from './option.js';

/** Holds the values that users gave, by source. An empty environment variable counts as not given. */
export interface Given {
  /** Texts, booleans or lists of texts, by key. */
  flags?: Record<string, unknown>;
  env?: Record<string, string | undefined>;
  /** Texts, numbers, booleans or lists of texts, by flag in camel case. */
  file?: Record<string, unknown>;
  /** Values by key that precede the defaults, such as a preset. Other keys are ignored. */
  base?: Record<string, unknown>;
  baseSource?: string;
}

/** Names the source of each value: `flag`, `environment`, `file`, the name of the base, or `default`. */
type Sources<S extends z.ZodObject> = Record<keyof z.output<S>, string>;

/** `names` are the user's names of the options. Options in `wrong` have their default values. */
type Resolved<S extends z.ZodObject> = { sources: Sources<S>; names: Sources<S> } & (
  | { ok: true; values: z.output<S> }
  | { ok: false; issues: OptionIssue[]; values: Partial<z.output<S>>; wrong: string[] }
);

type Validated<S extends z.ZodObject> = { ok: true; values: z.output<S> } | { ok: false; issues: OptionIssue[] };

/** Takes the value of each option from its first source. Otherwise returns every issue at once. */
export function resolveOptions<S extends z.ZodObject>(schema: S, given: Given): Resolved<S> {
  const options = optionsOf(schema);
  const names = options.map(fileKey);
  const unknown = Object.keys(given.file ?? {}).filter((name) => !names.includes(name));
  const issues = unknown.map((name) => unknownKey(`${name} in the file`, names));
  const picks = new Map(options.map((option) => [option.key, pick(option, given)]));
  const raw = [...picks].flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value] as const]));
  issues.push(...contradictions(options, picks));
  const parsed = schema.safeParse(Object.fromEntries(raw));
  const each = (of: 'source' | 'name') =>
    Object.fromEntries([...picks].map(([key, picked]) => [key, picked[of]])) as Sources<S>;
  const told = { sources: each('source'), names: each('name') };
  if (parsed.success && issues.length === 0) return { ok: true, values: parsed.data, ...told };
  const wrong = new Set<string>();
  for (const issue of parsed.error?.issues ?? []) {
    const option = optionAt(options, issue);
    const { name, given } = picks.get(option.key) as Picked;
    wrong.add(option.key);
    const received = receivedText(given, option.isSecret);
    issues.push({ option: name, expected: expectedText(option, issue, 'text'), received });
  }
  const right = schema.partial().safeParse(Object.fromEntries(raw.filter(([key]) => !wrong.has(key))));
  return { ok: false, issues, values: right.data as Partial<z.output<S>>, wrong: [...wrong], ...told };
}

/** Checks resolved values of a body, by key and in their unit's base. Returns every issue at once. */
export function validateOptions<S extends z.ZodObject>(schema: S, json: unknown): Validated<S> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    const issue = { option: 'body', expected: 'an object of options', received: receivedText(json, false) };
    return { ok: false, issues: [issue] };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { ok: true, values: parsed.data };
  const options = optionsOf(schema);
  const keys = options.map(({ key }) => key);
  const issues = parsed.error.issues.flatMap((issue): OptionIssue | OptionIssue[] => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, keys));
    const option = optionAt(options, issue);
    const received = receivedText((json as Record<string, unknown>)[option.key], option.isSecret);
    return { option: option.key, expected: expectedText(option, issue, 'json'), received };
  });
  return { ok: false, issues };
}

function contradictions(options: readonly Option[], picks: ReadonlyMap<string, Picked>): OptionIssue[] {
  return options.flatMap(({ key, notBeside = [], isSecret }): OptionIssue[] => {
    const others = options.filter(({ flag }) => [notBeside].flat().includes(flag)).map((other) => picks.get(other.key));
    const [one, another] = [picks.get(key), others.find((other) => other?.given !== undefined)];
    if (one?.given === undefined || another === undefined) return [];
    return [
      { option: one.name, expected: `nothing beside ${another.name}`, received: receivedText(one.given, isSecret) },
    ];
  });
}

function optionAt(options: readonly Option[], issue: z.core.$ZodIssue): Option {
  const option = options.find(({ key }) => key === issue.path[0]);
  if (!option) throw new Error(`an options schema has a rule without an option: ${issue.message}`);
  return option;
}

interface Picked {
  source: string;
  name: string;
  given: unknown;
  value: unknown;
}

function pick(option: Option, { flags, env, file, base, baseSource = 'base' }: Given): Picked {
  const { key, flag } = option;
  const fromFlag = flags?.[key];
  if (fromFlag !== undefined) {
    const name = fromFlag === false ? `--no-${flag}` : `--${flag}`;
    return { source: 'flag', name, given: fromFlag, value: readValue(option, fromFlag, 'flag') };
  }
  for (const name of variablesOf(option)) {
    const fromEnv = env?.[name];
    if (!fromEnv) continue;
    return { source: 'environment', name, given: fromEnv, value: readValue(option, fromEnv, 'environment') };
  }
  const fromFile = file?.[fileKey(option)];
  if (fromFile !== undefined) {
    const name = `${fileKey(option)} in the file`;
    return { source: 'file', name, given: fromFile, value: readValue(option, fromFile, 'file') };
  }
  const fromBase = base?.[key];
  if (fromBase !== undefined) {
    return { source: baseSource, name: `${key} in the ${baseSource}`, given: fromBase, value: fromBase };
  }
  return { source: 'default', name: `--${flag}`, given: undefined, value: undefined };
}

function readValue(option: Option, given: unknown, source: 'flag' | 'environment' | 'file'): unknown {
  if (option.kind === 'number' && (typeof given === 'string' || typeof given === 'number')) {
    const text = String(given);
    return (option.unit ? units[option.unit].parse(text) : parseNumber(text)) ?? text;
  }
  if (typeof given !== 'string') return given;
  if (option.kind === 'boolean') return booleans.get(given.trim().toLowerCase()) ?? given;
  if (option.kind !== 'list') return given;
  return source === 'environment' ? given.split(option.separator ?? ',').flatMap((part) => part.trim() || []) : [given];
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function parseNumber(text: string): number | undefined {
  const [, sign, digits = ''] = /^\s*(-?)(.*?)\s*$/.exec(text.toLowerCase()) ?? [];
  const value = parseDecimal(digits);
  return value !== undefined && sign ? -value : value;
}

export interface OptionIssue {
  /** Name as the user wrote it: `--rate`, `RINGSIDE_RATE`, `rampRate in the file`. In a body, its key. */
  option: string;
  expected: string;
  received: string;
}

const longestReceived = 80;

function unknownKey(name: string, known: readonly string[]): OptionIssue {
  const expected = known.length > 0 ? `one of ${known.join(', ')}` : 'no options';
  return { option: name, expected, received: 'an unknown key' };
}

function receivedText(value: unknown, isSecret: boolean): string {
  if (value === undefined) return 'nothing';
  if (isSecret) return '(hidden)';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > longestReceived ? `${text.slice(0, longestReceived - 1)}…` : text;
}

function expectedText(option: Option, issue: z.core.$ZodIssue, form: 'text' | 'json'): string {
  const print = (limit: number | bigint): string =>
    option.unit && form === 'text' ? units[option.unit].print(Number(limit)) : String(limit);
  if (issue.message.startsWith('expected ')) return issue.message.slice('expected '.length);
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'a whole number' : anyValue(option, form);
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `${issue.inclusive ? 'at least' : 'more than'} ${print(issue.minimum)}${thing(issue.origin)}`;
    case 'too_big':
      return `${issue.inclusive ? 'at most' : 'less than'} ${print(issue.maximum)}${thing(issue.origin)}`;
    case 'not_multiple_of':
      return `a multiple of ${print(issue.divisor)}`;
    default:
      return issue.message;
  }
}

function anyValue({ unit, kind, choices }: Option, form: 'text' | 'json'): string {
  if (unit && form === 'text') return units[unit].expected;
  if (kind === 'choice') return `one of ${choices?.join(', ')}`;
  return { number: 'a number', string: 'text', boolean: 'true or false', list: 'a list of texts' }[kind];
}

function thing(origin: string): string {
  return origin === 'string' ? ' characters' : origin === 'array' ? ' values' : '';
}
