import { stopReasons } from '../../contract/stop-reasons.js';
import type { Declaration } from '../../measure/declaration.js';
import { worstOf } from '../../measure/statement.js';
import { type Comparison, isComparison, type RunOrComparison } from '../../results/comparison.js';
import { headlineValue } from '../../results/figures.js';
import type { Paired } from '../../results/paired.js';
import { holdsOf, type RunResult } from '../../results/result.js';
import { answerOf } from '../paired/answer.js';
import { pairedTable, runsInWords } from '../paired/table.js';
import { machineInWords, missing, shapeInWords } from '../paired/words.js';
import { ratioThresholdLines } from '../ratio-thresholds.js';
import { attachedInWords, clientsInWords, notesOf, talkLines } from '../words/notes.js';
import { cell, evidenceOf, isBest, legends, pairLines } from '../words/scoreboard.js';
import { intervalInWords, optionsInWords, thresholdInWords, titleInWords, valueInWords } from '../words/values.js';
import {
  boundTexts,
  bySaid,
  headline,
  leastInWords,
  marksInWords,
  networkInWords,
  type RunWord,
  saidInWords,
  saidOf,
  verdictInWords,
  withMark,
} from '../words/verdict-words.js';
import { codeSpan, inline, list, markdownTable } from './markdown-parts.js';

/**
 * Formats a comment for a pull request in Markdown: the verdict or the answer, figures with intervals, and thresholds.
 */
export function renderMarkdown(kept: RunOrComparison, scenario: Declaration): string {
  const parts = isComparison(kept) ? partsOf(kept, scenario) : runParts(kept, scenario);
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function partsOf(kept: Comparison, scenario: Declaration): string[] {
  if (!kept.paired) return comparisonParts(kept, scenario);
  return [...pairedParts(kept, kept.paired, scenario, thresholdTable(kept.rows)), footer([], kept)];
}

const signs: Readonly<Record<RunWord, string>> = { clean: '✅', starved: '⚠️', short: '⚠️', limited: '⚠️', void: '❌' };

function signed(said: RunWord, text: string): string {
  return `${signs[said]} ${said === 'clean' ? text : `**${text}**`}`;
}

function runParts(result: RunResult, scenario: Declaration): string[] {
  const { target, job, verdict, stop, metrics, thresholds, environment } = result;
  const versions = Object.entries(target.versions).map(([name, version]) => `${name} ${version}`);
  const rows = scenario.headline.map((column) => {
    const value = headlineValue(column, result);
    const isMarked = column.kind === 'figure' && value !== null;
    const least = isMarked ? leastInWords(verdict, column.metric, column.figure) : undefined;
    const told = withMark(valueInWords(column.kind, value), least);
    return [inline(titleInWords(column)), told, intervalInWords(column, metrics) || '–'];
  });
  const network = networkInWords(result);
  const why = stop.evidence.length > 0 ? ` (${inline(stop.evidence.join('; '))})` : '';
  return [
    `### ${result.scenario} · ${inline(target.name)}`,
    headline(result, scenario)
      .map((text) => `**${inline(text)}**`)
      .join('\n\n'),
    signed(saidOf(result, scenario), verdictInWords(result, scenario)),
    list(notesOf(result, scenario).map(inline)),
    list(verdict.evidence.map(({ rule, text }) => `${codeSpan(rule)} ${inline(text)}`)),
    list(boundTexts(verdict).map(inline)),
    network && list([`network: ${network}`]),
    list(attachedInWords(environment).map((text) => `driver: ${inline(text)}`)),
    `stopped: ${stopReasons[stop.code].title}${why}`,
    list(talkLines(result).map(inline)),
    inline(stop.advice ?? ''),
    markdownTable(['figure', 'value', '95 % interval'], rows),
    verdict.doubts ? inline(marksInWords) : '',
    markdownTable(
      ['', 'threshold', 'value'],
      thresholds.map((each) => [thresholdMarks[holdsOf(each)], codeSpan(each.text), thresholdInWords(each, metrics)]),
      [0, 1],
    ),
    footer([optionsInWords(scenario, job.options), ...clientsInWords(result), ...versions], result),
  ];
}

const thresholdMarks = { yes: '✅', no: '❌', open: '❔' } as const;

function comparisonParts(comparison: Comparison, scenario: Declaration): string[] {
  const { headline } = scenario;
  const { rows, repeat, pairs, forced } = comparison;
  const runs = rows.flatMap((row) => row.runs.map(({ result }) => result));
  const verdicts = bySaid(runs, scenario)
    .toReversed()
    .map(({ said, runs: own }) => `${own.length} of ${runs.length} runs ${signed(said, saidInWords[said])}`);
  const evidence = evidenceOf(runs, scenario).map(
    ({ target, rule, text }) => `${inline(target)}: ${rule === undefined ? '' : `${codeSpan(rule)} `}${inline(text)}`,
  );
  const cells = rows.map((row) => [
    inline(row.target),
    ...headline.map((column) => {
      const text = cell(column, row, scenario);
      return isBest(column, row.target, comparison, scenario) ? `**${text}**` : text;
    }),
    ended(row, scenario),
  ]);
  const options = runs[0]?.job.options;
  return [
    `### ${comparison.scenario} · ${rows.length} targets, ${repeat} ${repeat === 1 ? 'run' : 'interleaved runs'} each`,
    runs.length === 0 ? '❌ **nothing ran**' : list(verdicts),
    list(ratioThresholdLines(comparison).map(inline)),
    list(notesOf(runs[0], scenario).map(inline)),
    forced === '' ? '' : `⚠️ **these runs have different shapes: ${inline(forced)}**`,
    markdownTable(['target', ...headline.map(titleInWords), 'verdict'], cells, [0, headline.length + 1]),
    pairs.length === 0 ? '' : fenced('differences beyond noise', pairLines(scenario, comparison)),
    thresholdTable(rows),
    list(evidence),
    legends(comparison, scenario, 'bold:').map(inline).join('<br>\n'),
    footer(options ? [optionsInWords(scenario, options)] : [], comparison),
  ];
}

function ended({ state, why, runs }: Comparison['rows'][number], scenario: Declaration): string {
  if (state === 'notAvailable') return `not available: ${inline(why)}`;
  const told = runs.map(({ result }) => {
    const { isComplete, title } = stopReasons[result.stop.code];
    const said = saidOf(result, scenario);
    return `${signs[said]}${said === 'clean' ? '' : ` ${said}`}${isComplete ? '' : ` (${title})`}`;
  });
  const times = [...new Set(told)].map((each) => {
    const number = told.filter((other) => other === each).length;
    return number > 1 ? `${number} × ${each}` : each;
  });
  return [...times, ...(state === 'failed' ? [`❌ failed: ${inline(why)}`] : [])].join(', ') || 'not run';
}

function thresholdTable(rows: Comparison['rows']): string {
  const lines = rows.flatMap(({ target, runs }) => {
    const all = runs.flatMap(({ result }) => result.thresholds);
    return [...new Set(all.map(({ text }) => text))].map((text) => {
      const given = all.filter((each) => each.text === text).map(holdsOf);
      const passed = given.filter((state) => state === 'yes').length;
      return [thresholdMarks[worstOf(given)], inline(target), codeSpan(text), `${passed} of ${given.length}`];
    });
  });
  return markdownTable(['', 'target', 'threshold', 'runs that passed'], lines, [0, 1, 2]);
}

function fenced(title: string, lines: readonly string[]): string {
  return `<details><summary>${title}</summary>\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n\n</details>`;
}

function footer(parts: readonly string[], { fingerprint, tool }: Pick<RunResult, 'fingerprint' | 'tool'>): string {
  return `<sub>${[...parts.map(inline), `shape ${fingerprint}`, `ringside ${tool.version}`].join(' · ')}</sub>`;
}

/** Formats a paired comparison in Markdown, in the order of the terminal: answer, targets, measurement. */
export function pairedParts(
  comparison: Comparison,
  paired: Paired,
  scenario: Declaration,
  thresholds: string,
): string[] {
  const { head, rows, legend } = pairedTable(paired, scenario);
  const { voided, warned } = runsInWords(comparison);
  const notes = notesOf(comparison.rows.flatMap(({ runs }) => runs)[0]?.result, scenario);
  const asides = [...legend, ...(warned === '' ? [] : [warned])];
  return [
    `### ${comparison.scenario}`,
    `**${inline(answerOf(paired, scenario).join(' '))}**`,
    list([...notes, ...(voided === '' ? [] : [voided])].map(inline)),
    markdownTable(
      head.map(inline),
      rows.map((row) => row.map(inline)),
    ),
    list(missing(comparison, paired).map(({ target, why }) => `${inline(target)}: ${inline(why)}`)),
    list(ratioThresholdLines(comparison).map(inline)),
    thresholds,
    [shapeInWords(comparison, paired, scenario), machineInWords(comparison, paired)].map(inline).join('<br>\n'),
    asides.length === 0 ? '' : `<sub>${asides.map(inline).join('<br>\n')}</sub>`,
  ];
}
