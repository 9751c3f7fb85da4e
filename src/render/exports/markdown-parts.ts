import type { Declaration } from '../../measure/declaration.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { RunOrComparison } from '../../results/comparison.js';
import { outsideText } from '../../units/text.js';

/** A GitHub table, aligned right except for the columns in `alignLeft`; empty without rows. */
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

/** Plain text on one line: no markup, no end of a cell, no mention. */
export function inline(text: string): string {
  return oneLine(text)
    .replaceAll(/[\\`*_[\]<>|~#&]/g, (character) => `&#${character.codePointAt(0)};`)
    .replaceAll('@', '@<!-- -->');
}

/** Text as code, also in a table; backticks are dropped. */
export function codeSpan(text: string): string {
  return `\`${oneLine(text).replaceAll('`', '').replaceAll('|', '\\|')}\``;
}

function oneLine(text: string): string {
  return outsideText(text, Number.POSITIVE_INFINITY);
}

export interface JudgedSource<R extends RunOrComparison = RunOrComparison> {
  kept: R;
  scenario: Declaration;
}

/** What an export reads: a result, and the samples of some metrics. */
export interface Source<R extends RunOrComparison> extends JudgedSource<R> {
  /** In the order of the export; one metric is in memory at a time. */
  metrics: readonly string[];
  samples(metric: string): Promise<Samples>;
  /** How many of them are independent; undefined where all are. */
  independent(metric: string): number | undefined;
  /** How many samples beside them never came. */
  unfinished(metric: string): number;
}

/** What an export of samples reads. */
export type OneByOne = Pick<Source<RunOrComparison>, 'metrics' | 'samples' | 'independent' | 'unfinished'>;
