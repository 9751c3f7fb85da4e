import { stopReasons } from '../../contract/stop-reasons.js';
import type { Declaration } from '../../measure/declaration.js';
import type { Comparison } from '../../results/comparison.js';
import { headlineValue } from '../../results/headline.js';
import type { RunResult } from '../../results/result.js';
import { isBest } from '../best.js';
import { cell } from '../comparison.js';
import { evidenceOf } from '../evidence.js';
import { pairLines } from '../pairs.js';
import { doubtTexts } from '../words/doubts.js';
import { legends } from '../words/legends.js';
import { networkInWords } from '../words/network.js';
import { optionsInWords } from '../words/options-in-words.js';
import { promisedInWords, titleInWords, valueInWords } from '../words/values.js';
import { saidInWords, saidOf } from '../words/verdict-words.js';
import { isComparison, type Kept } from './kept.js';
import { code, inline, list, table } from './markdown-parts.js';

/**
 * Markdown for the comment on a pull request: the verdict above the numbers, the headline with its intervals, and every promise with a tick or a cross.
 * What a target says of itself is escaped.
 */
export function renderMarkdown(kept: Kept, scenario: Declaration): string {
  const parts = isComparison(kept) ? comparisonParts(kept, scenario) : runParts(kept, scenario);
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** What may be believed of the numbers, with the mark that stands before it. */
const verdictMarks = {
  clean: `✅ ${saidInWords.clean}`,
  short: `⚠️ **${saidInWords.short}**`,
  limited: `⚠️ **${saidInWords.limited}**`,
  void: `❌ **${saidInWords.void}**`,
} as const;

function runParts(result: RunResult, scenario: Declaration): string[] {
  const { target, job, verdict, stop, metrics, thresholds } = result;
  const versions = Object.entries(target.versions).map(([name, version]) => `${name} ${version}`);
  const rows = scenario.headline.map((column) => {
    const within = column.kind === 'figure' ? metrics[column.metric]?.intervals[column.figure] : undefined;
    const interval = within
      ? `${valueInWords(column.kind, within[0])} to ${valueInWords(column.kind, within[1])}`
      : '–';
    return [inline(titleInWords(column)), valueInWords(column.kind, headlineValue(column, result)), interval];
  });
  return [
    `### ${result.scenario} · ${inline(target.name)}`,
    verdictMarks[saidOf(result)],
    list((scenario.notes?.(job.options) ?? []).map(inline)),
    list(verdict.evidence.map(({ rule, text }) => `${code(rule)} ${inline(text)}`)),
    list(doubtTexts(verdict).map(inline)),
    list([networkInWords(result)].filter((words) => words !== '').map((words) => `network: ${words}`)),
    `stopped: ${stopReasons[stop.code].title}${stop.evidence.length > 0 ? ` (${inline(stop.evidence.join('; '))})` : ''}`,
    inline(stop.advice ?? ''),
    table(['figure', 'value', '95 % interval'], rows),
    table(
      ['', 'promise', 'was'],
      thresholds.map((threshold) => [
        threshold.isKept ? '✅' : '❌',
        code(threshold.text),
        promisedInWords(threshold, metrics),
      ]),
      [0, 1],
    ),
    footer(
      [optionsInWords(scenario, job.options), `${target.client} clients`, ...versions],
      result.fingerprint,
      result.tool.version,
    ),
  ];
}

function comparisonParts(comparison: Comparison, scenario: Declaration): string[] {
  const { headline } = scenario;
  const { rows, repeat, pairs, forced, fingerprint, tool } = comparison;
  const runs = rows.flatMap((row) => row.runs.map(({ result }) => result));
  const of = (rig: keyof typeof verdictMarks): number => runs.filter((run) => saidOf(run) === rig).length;
  const verdicts = (['void', 'limited', 'short', 'clean'] as const)
    .filter((rig) => of(rig) > 0)
    .map((rig) => `${of(rig)} of ${runs.length} runs ${verdictMarks[rig]}`);
  const evidence = evidenceOf(runs, scenario).map(
    ({ target, rule, text }) => `${inline(target)}: ${rule === undefined ? '' : `${code(rule)} `}${inline(text)}`,
  );
  const cells = rows.map((row) => [
    inline(row.target),
    ...headline.map((column) => {
      const text = cell(column, row);
      return isBest(column, row.target, comparison, scenario) ? `**${text}**` : text;
    }),
    ended(row),
  ]);
  const options = runs[0] ? [optionsInWords(scenario, runs[0].job.options)] : [];
  return [
    `### ${comparison.scenario} · ${rows.length} targets, ${repeat} ${repeat === 1 ? 'run' : 'interleaved runs'} each`,
    runs.length === 0 ? '❌ **nothing ran**' : list(verdicts),
    list((runs[0] ? (scenario.notes?.(runs[0].job.options) ?? []) : []).map(inline)),
    forced === '' ? '' : `⚠️ **these runs are of different shapes: ${inline(forced)}**`,
    table(['target', ...headline.map(titleInWords), 'verdict'], cells, [0, headline.length + 1]),
    pairs.length === 0 ? '' : fenced('what differs by more than the noise', pairLines(scenario, comparison)),
    promises(rows),
    list(evidence),
    legends(comparison, scenario, 'bold:').map(inline).join('<br>\n'),
    footer(options, fingerprint, tool.version),
  ];
}

function ended({ state, why, runs }: Comparison['rows'][number]): string {
  if (state === 'notAvailable') return `not available: ${inline(why)}`;
  const marks = { clean: '✅', short: '⚠️ short', limited: '⚠️ limited', void: '❌ void' } as const;
  const told = runs.map(({ result }) => {
    const { isComplete, title } = stopReasons[result.stop.code];
    return `${marks[saidOf(result)]}${isComplete ? '' : ` (${title})`}`;
  });
  const times = [...new Set(told)].map((each) => {
    const number = told.filter((other) => other === each).length;
    return number > 1 ? `${number} × ${each}` : each;
  });
  return [...times, ...(state === 'failed' ? [`❌ failed: ${inline(why)}`] : [])].join(', ') || 'not run';
}

function promises(rows: Comparison['rows']): string {
  const lines = rows.flatMap(({ target, runs }) => {
    const texts = new Set(runs.flatMap(({ result }) => result.thresholds.map(({ text }) => text)));
    return [...texts].map((text) => {
      const given = runs.flatMap(({ result }) => result.thresholds.filter((each) => each.text === text));
      const kept = given.filter(({ isKept }) => isKept).length;
      return [
        kept === given.length ? '✅' : '❌',
        inline(target),
        code(text),
        `kept by ${kept} of ${given.length} runs`,
      ];
    });
  });
  return table(['', 'target', 'promise', ''], lines, [0, 1, 2]);
}

function fenced(title: string, lines: readonly string[]): string {
  return `<details><summary>${title}</summary>\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n\n</details>`;
}

function footer(parts: readonly string[], fingerprint: string, version: string): string {
  return `<sub>${[...parts.map(inline), `shape ${fingerprint}`, `ringside ${version}`].join(' · ')}</sub>`;
}
