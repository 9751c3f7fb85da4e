import type { ZodObject } from 'zod';
import { type Option, optionsOf, variablesOf } from '../../src/options/option.js';

/** A text as a code span. */
export const code = (text: string): string => `\`${text}\``;

/** A Markdown table with a row for each of `all`; the columns tell what their cells say of it. */
export function table<T>(all: readonly T[], columns: Readonly<Record<string, (each: T) => string>>): string {
  const rows = all.map((each) => Object.values(columns).map((cell) => cell(each)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const head = Object.keys(columns);
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The table of a schema's options. */
export function optionsTable(schema: ZodObject): string {
  return table(optionsOf(schema), {
    flag: (option) => code(usage(option)),
    default: ({ defaultText }) => (defaultText === undefined ? '' : code(defaultText)),
    meaning: ({ help }) => help,
    environment: (option) => variablesOf(option).map(code).join(', '),
  });
}

function usage({ flag, kind, placeholder, defaultText }: Option): string {
  if (kind !== 'boolean') return `--${flag} <${placeholder}>`;
  return defaultText === 'true' ? `--no-${flag}` : `--${flag}`;
}
