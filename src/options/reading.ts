import { parseDecimal } from '../units/decimal.js';
import { units } from '../units/list.js';
import type { Option } from './option.js';

/**
 * The value that a flag, environment variable or job file gives an option. What can't be read stays as it is and fails
 * in the schema. A number in a file is read like text, so its unit must be named there, too.
 */
export function readValue(option: Option, given: unknown, source: 'flag' | 'environment' | 'file'): unknown {
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
