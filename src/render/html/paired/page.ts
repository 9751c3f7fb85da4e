import { basename } from 'node:path';
import type { Declaration } from '../../../measure/declaration.js';
import { countUnitOf } from '../../../measure/ledger.js';
import { pairOf } from '../../../measure/statement.js';
import { lowerMedian } from '../../../measure/stats/estimate.js';
import type { Comparison } from '../../../results/comparison.js';
import type { KeptPairedRatio, Paired } from '../../../results/paired.js';
import type { RunResult } from '../../../results/result.js';
import { comparisonDocument } from '../../comparison.js';
import { answerOf } from '../../paired/answer.js';
import { intervalText, percentText, ratioInWords, times, withheldInWords } from '../../paired/claims.js';
import { statementWords } from '../../words/statement.js';
import { milliseconds } from '../../words/values.js';
import { documentHtml, printDocument } from '../document.js';
import { jobSection } from '../job.js';
import type { TableCell } from '../markup.js';
import { dataTable, html, inMs, type Markup } from '../markup.js';
import type { Report, ReportRun } from '../runs.js';
import { howToRead, ledgerSection } from '../sections.js';
import { latencyPicture, pairPicture, ratioPicture, slowerFirst } from './pictures.js';

/** Prints the page of a paired comparison: the answer, ratios, latencies, ledger, and the folded evidence. */
export function renderPairedPage(report: Report, comparison: Comparison, paired: Paired): string {
  const { scenario, assets } = report;
  const [answer, ...parts] = comparisonDocument(comparison, scenario).parts;
  const notes = { blocks: answer?.blocks.slice(1) ?? [] };
  const ledgers = { ...report, runs: ledgersOf(comparison) };
  const sections: [id: string, title: string, body: Markup | ''][] = [
    ['ratios', 'Ratios', ratioPicture(paired)],
    ['latency', 'Latencies', latencyPicture(paired, scenario)],
    ['ledger', 'Ledger', ledgers.runs.length > 0 ? html`<div class="charts">${ledgerSection(ledgers)}</div>` : ''],
    ['evidence', 'Evidence', pairedEvidence(comparison, paired, scenario)],
    ['job', 'Job and machines', folded('Options, versions and machines of one run of each target', jobSection(report))],
    ['how-to-read', 'How to read this page', folded('Metrics, stages and rules', howToRead(report))],
  ];
  const filled = sections.filter(([, , body]) => body !== '');
  const links = filled.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`);
  const body = html`<header><p class="aside">ringside compare ${scenario.name}: ${scenario.summary}</p>
<h1>${answerOf(paired, scenario).join(' ')}</h1>
${documentHtml({ parts: [notes, ...parts] })}
<nav aria-label="Sections"><ul>${links}</ul></nav></header>
<main id="main">
${filled.map(
  ([id, name, part]) => html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${name}</h2>
${part}</section>
`,
)}</main>
`;
  const names = comparison.rows.map(({ target }) => target).join(', ');
  return printDocument(`${scenario.name}: ${names}`, body, { charts: [], curves: {} }, assets);
}

function folded(title: string, body: Markup): Markup {
  return html`<details><summary>${title}</summary>${body}</details>`;
}

function ledgersOf({ rows }: Comparison): ReportRun[] {
  return rows.flatMap(({ target, runs }) => {
    const [first] = runs;
    if (!first) return [];
    const ledger = summed(runs.map(({ result }) => result.ledger));
    const shards = runs.flatMap(({ result }) => result.shards);
    return [{ label: target, directory: first.directory, result: { ...first.result, ledger, shards }, curves: {} }];
  });
}

type Ledger = RunResult['ledger'];

/** Sums counts, also by cause. Times and rates of several runs have no sum. */
function summed(ledgers: readonly Ledger[]): Ledger {
  const sum: Ledger = {};
  for (const ledger of ledgers) {
    for (const [name, value] of Object.entries(ledger)) {
      if (typeof value === 'number') {
        if (countUnitOf(name) === 'count') sum[name] = Number(sum[name] ?? 0) + value;
        continue;
      }
      const causes = { ...(sum[name] as Record<string, number> | undefined) };
      for (const [cause, count] of Object.entries(value)) causes[cause] = (causes[cause] ?? 0) + count;
      sum[name] = causes;
    }
  }
  return sum;
}

/** Formats the evidence behind the sentences in a folded section: pairs, targets, starts and single runs. */
export function pairedEvidence(comparison: Comparison, paired: Paired, { publishes }: Declaration): Markup {
  const { lastPairs, withheld, pairs } = paired;
  const isClaimed = withheld.length === 0;
  const last = publishes ? 'delivery of each broadcast' : 'answer of each round';
  return html`${folded(
    'Every pair',
    html`${!isClaimed && html`<p class="doubtful">No order is claimed: ${withheldInWords(paired)}.</p>`}
${pairPicture(paired)}${pairs.length > 0 && pairTable(paired)}`,
  )}
${lastPairs.length > 0 && folded(`Every pair, by the last ${last}`, lastTable(lastPairs))}
${folded('Every target, the twin included', targetTable(paired))}
${folded('Every start', startTable(paired))}
${folded('Verdicts of the single runs', runTable(comparison))}
`;
}

function pairTable({ pairs, rawPairs, control }: Paired): Markup {
  const all = [...slowerFirst(pairs), ...(control ? [control] : [])];
  const rows = all.map((pair) => {
    const raw = pairOf(rawPairs, pair.a, pair.b);
    return [...cellsOf(pair), raw ? inOneLine(ratioInWords(raw)) : '–', statementWords.differs[pair.holds]];
  });
  const head = [...heads, 'with no round excluded', 'conclusion'];
  return html`${dataTable('Ratios of the median', head, rows)}
<p class="aside">An order stands only if it also stands without the time that the load generator may have added.</p>`;
}

const heads = ['a to b', 'ratio', '95 % over starts', 'for all pairs at once', '95 %, these processes'];

function cellsOf({ a, b, ratio, interval, joint, theseProcesses }: KeptPairedRatio): (TableCell | Markup)[] {
  const intervals = [interval, joint, theseProcesses].map((each) => (each ? inOneLine(intervalText(each)) : '–'));
  return [`${a} to ${b}`, ratio === null ? '–' : { value: ratio, text: times(ratio) }, ...intervals];
}

function inOneLine(text: string): Markup {
  return html`<span class="interval">${text}</span>`;
}

function lastTable(pairs: readonly KeptPairedRatio[]): Markup {
  const rows = slowerFirst(pairs).map((pair) => [...cellsOf(pair), statementWords.differs[pair.holds]]);
  return dataTable('Ratios of the last', [...heads, 'conclusion'], rows);
}

function targetTable({ targets, crowd }: Paired): Markup {
  const rows = targets.map(({ target, p50Us, p50AtLeastUs, tail, deliveredShare, excludedShare, cpuCores }) => {
    const effect = crowd?.find((each) => each.target === target);
    return [
      target,
      inMs(p50Us),
      inMs(p50AtLeastUs),
      tail ? `${tail.figure} ${milliseconds(tail.us)}` : '–',
      deliveredShare === null ? null : { value: deliveredShare, text: percentOf(deliveredShare) },
      { value: excludedShare, text: percentText(excludedShare) },
      cpuCores,
      effect ? inOneLine(ratioInWords(effect)) : '–',
    ];
  });
  const head = [
    'target',
    'p50, ms',
    'at least, ms',
    'tail, ms',
    'delivered',
    'rounds excluded',
    'cores in the rounds',
    'among idle neighbours, to alone',
  ];
  return dataTable('Targets over all starts', head, rows);
}

const percentOf = (share: number): string => (share < 1 ? `${Math.min(99.99, share * 100).toFixed(2)} %` : '100 %');

function startTable({ targets, starts }: Paired): Markup {
  const rows = starts.map((start, number) => [`start ${number + 1}`, ...start.map(({ p50Us }) => inMs(middle(p50Us)))]);
  return html`${dataTable('The middle round of each start, ms', ['', ...targets.map(({ target }) => target)], rows)}
<p class="aside">experiment.json has every round.</p>`;
}

function middle(values: readonly (number | null)[]): number | null {
  const us = values.length > 0 ? lowerMedian(values.map((each) => each ?? Number.POSITIVE_INFINITY)) : null;
  return us === Number.POSITIVE_INFINITY ? null : us;
}

function runTable({ rows }: Comparison): Markup {
  const runs = rows.flatMap(({ target, runs: own }) =>
    own.map(({ directory, result: { verdict } }, number) => [
      `${target} ${number + 1}`,
      verdict.rig,
      verdict.evidence.map(({ rule, text }) => `${rule}: ${text}`).join('; ') || '–',
      html`<code>${basename(directory)}</code>`,
    ]),
  );
  return dataTable('Single runs, each judged by itself', ['run', 'verdict', 'why', 'kept in'], runs);
}
