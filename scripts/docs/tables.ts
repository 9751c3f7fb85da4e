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

/** The table of a schema's options, and the variables of the environment that give them. */
export function optionsTable(schema: ZodObject): string {
  const environment = (option: Option): string => variablesOf(option).map(code).join(', ');
  return table(optionsOf(schema), { ...flagColumns, environment });
}

/** The table of options that only flags give. */
export function flagsTable(schema: ZodObject): string {
  return table(optionsOf(schema), flagColumns);
}

const flagColumns = {
  flag: (option: Option): string => code(usage(option)),
  default: ({ defaultText }: Option): string => (defaultText === undefined ? '' : code(defaultText)),
  meaning: ({ help }: Option): string => help,
};

function usage({ flag, kind, placeholder, defaultText }: Option): string {
  if (kind !== 'boolean') return `--${flag} <${placeholder}>`;
  return defaultText === 'true' ? `--no-${flag}` : `--${flag}`;
}
