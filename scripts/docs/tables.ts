import type { ZodObject } from 'zod';
import { type Option, optionsOf } from '../../src/options/option.js';

/** Formats a text as a code span. */
export const code = (text: string): string => `\`${text}\``;

/** Formats a Markdown table with a row for each of `all`. Each column name maps to a function for its cells. */
export function table<T>(all: readonly T[], columns: Readonly<Record<string, (each: T) => string>>): string {
  const rows = all.map((each) => Object.values(columns).map((cell) => cell(each)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const head = Object.keys(columns);
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Formats the table of a schema's options. */
export function optionsTable(schema: ZodObject): string {
  return table(optionsOf(schema), {
    flag: (option) => code(usage(option)),
    default: ({ defaultText }) => (defaultText === undefined ? '' : code(defaultText)),
    meaning: ({ help }) => help,
  });
}

function usage({ flag, kind, placeholder, defaultText }: Option): string {
  if (kind !== 'boolean') return `--${flag} <${placeholder}>`;
  return defaultText === 'true' ? `--no-${flag}` : `--${flag}`;
}
