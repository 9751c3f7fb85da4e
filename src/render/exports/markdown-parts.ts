import type { Declaration } from '../../measure/declaration.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { RunOrComparison } from '../../results/comparison.js';
import type { RunResult } from '../../results/result.js';
import { outsideText } from '../../units/text.js';

/** Formats a GitHub table, aligned right except for the columns in `alignLeft`. Returns an empty text without rows. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignLeft: readonly number[] = [0],
): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_title, index) => (alignLeft.includes(index) ? '---' : '--:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

export function list(points: readonly string[]): string {
  return points.map((point) => `- ${point}`).join('\n');
}

/** Formats plain text on one line, and escapes markup, cell separators and mentions. */
export function inline(text: string): string {
  return oneLine(text)
    .replaceAll(/[\\`*_[\]<>|~#&]/g, (character) => `&#${character.codePointAt(0)};`)
    .replaceAll('@', '@<!-- -->');
}

/** Formats text as code, also in a table. Backticks are dropped. */
export function codeSpan(text: string): string {
  return `\`${oneLine(text).replaceAll('`', '').replaceAll('|', '\\|')}\``;
}

function oneLine(text: string): string {
  return outsideText(text, Number.POSITIVE_INFINITY);
}

export interface JudgedSource {
  kept: RunOrComparison;
  scenario: Declaration;
}

/** Holds the input of an export: a run, and the samples of some metrics. */
export interface Source {
  kept: RunResult;
  /** Names the metrics in the order of the export. Only one metric is in memory at a time. */
  metrics: readonly string[];
  samples(metric: string): Promise<Samples>;
  /** Returns the number of independent samples, or undefined if all are independent. */
  independent(metric: string): number | undefined;
  /** Returns the number of samples that never came, which are not among `samples`. */
  unfinished(metric: string): number;
}

/** Holds the input of an export of samples. */
export type OneByOne = Pick<Source, 'metrics' | 'samples' | 'independent' | 'unfinished'>;
