import type { z } from 'zod';
import { units } from '../units/list.js';
import type { Option } from './option.js';

/** One wrong value. */
export interface OptionIssue {
  /** As the user wrote it: `--rate`, `RINGSIDE_RATE`, `rampRate in the file`; its key in a body. */
  option: string;
  expected: string;
  received: string;
}

const longestReceived = 80;

/** The issue of an unknown key. */
export function unknownKey(name: string, known: readonly string[]): OptionIssue {
  const expected = known.length > 0 ? `one of ${known.join(', ')}` : 'no options';
  return { option: name, expected, received: 'an unknown key' };
}

/** What was received, in a line. */
export function receivedText(value: unknown, isSecret: boolean): string {
  if (value === undefined) return 'nothing';
  if (isSecret) return '(hidden)';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > longestReceived ? `${text.slice(0, longestReceived - 1)}…` : text;
}

/** What zod expected, in words for `text` or `json` input. */
export function expectedText(option: Option, issue: z.core.$ZodIssue, form: 'text' | 'json'): string {
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
