import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ZodObject } from 'zod';
import { claimCounts, claimSentence, claimsIn } from '../../src/commands/reproduce/claims.js';
import { figureTable } from '../../src/commands/reproduce/print.js';
import { type Option, optionsOf } from '../../src/options/option.js';
import { tableMarkdown } from '../../src/render/document/markdown.js';
import { experimentFile } from '../../src/results/journal.js';
import { type Reproduction, reproduction } from '../../src/results/published.js';

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

/** Reads the reproductions in a folder of results, by the names of their directories. */
export function keptReproductions(folder: string): ReadonlyMap<string, Reproduction> {
  const found = readdirSync(folder).flatMap((directory): [string, Reproduction][] => {
    const file = join(folder, directory, `${experimentFile}.gz`);
    if (!existsSync(file)) return [];
    const { published } = JSON.parse(String(gunzipSync(readFileSync(file)))) as { published?: unknown };
    return published === undefined ? [] : [[directory, reproduction.parse(published)]];
  });
  return new Map(found);
}

/** Formats the results of a table, one row for each kept reproduction. */
export function outcomesTable(all: Iterable<Reproduction>): string {
  return table([...all], {
    source: ({ table: { source } }) => source.title,
    table: ({ table: { id } }) => code(id),
    ran: ({ targets }) => `${targets.filter(({ state }) => state === 'ran').length} of ${targets.length}`,
    'claims that hold': (made) => String(claimCounts(claimsIn(made)).yes),
    'that do not': (made) => String(claimCounts(claimsIn(made)).no),
    open: (made) => String(claimCounts(claimsIn(made)).open),
  });
}

/** Describes one kept reproduction: how and where it was made, its order in a sentence, and its figures. */
export function outcome(directory: string, made: Reproduction): string {
  const { table: of, scale, time, repeat } = made;
  const flags = [scale !== 1 && `--scale ${scale}`, time !== 1 && `--time ${time}`, `--repeat ${repeat}`].filter(
    (flag) => flag !== false,
  );
  const versions = new Set(made.targets.flatMap((each) => Object.entries(each.versions).map((one) => one.join(' '))));
  const facts = [
    ['table', `${code(of.id)}: ${of.title}`],
    ['run with', code(['ringside reproduce', of.id, ...flags].join(' '))],
    ['versions', [...versions].join(', ')],
    ['kept in', code(`results/kept/${directory}`)],
    ['**answer**', `**${claimSentence(claimsIn(made))}**`],
  ];
  return [
    table(facts, { '': ([name = '']) => name, here: ([, text = '']) => text }),
    tableMarkdown(figureTable(made)),
  ].join('\n\n');
}
