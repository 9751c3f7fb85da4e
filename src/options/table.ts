import type { z } from 'zod';
import { type Option, optionsOf, variablesOf } from './option.js';

export function optionsTable(schema: z.ZodObject): string {
  const rows = optionsOf(schema).map((option) => [
    code(usage(option)),
    option.defaultText === undefined ? '' : code(option.defaultText),
    option.help,
    variablesOf(option).map(code).join(', '),
  ]);
  return [['flag', 'default', 'meaning', 'environment'], ['---', '---', '---', '---'], ...rows].map(line).join('\n');
}

function usage(option: Option): string {
  if (option.kind !== 'boolean') return `--${option.flag} <${option.placeholder}>`;
  return option.defaultText === 'true' ? `--no-${option.flag}` : `--${option.flag}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
