import { countUnitOf } from '../../../measure/ledger.js';
import type { Comparison } from '../../../results/comparison.js';
import type { Paired } from '../../../results/paired.js';
import type { RunResult } from '../../../results/result.js';
import { answerOf } from '../../paired/answer.js';
import { pairedTable, runsInWords } from '../../paired/table.js';
import { machineInWords, missing, shapeInWords } from '../../paired/words.js';
import { notesOf } from '../../words/notes.js';
import { failedThresholds } from '../../words/scoreboard.js';
import { dataTable } from '../charts/figure.js';
import { html, type Markup, printDocument } from '../document.js';
import type { Report, ReportRun } from '../runs.js';
import { howToRead } from '../sections/how-to-read.js';
import { jobSection } from '../sections/job.js';
import { ledgerSection } from '../sections/ledger.js';
import { ratioThresholdList } from '../sections/verdict.js';
import { pairedEvidence } from './evidence.js';
import { latencyPicture } from './picture.js';
import { ratioPicture } from './ratios.js';

/** Prints the page of a paired comparison: the answer, ratios, latencies, ledger, and the folded evidence. */
export function renderPairedPage(report: Report, comparison: Comparison, paired: Paired): string {
  const { scenario, assets, disagreeing = '' } = report;
  const answer = answerOf(paired, scenario);
  const ledgers = { ...report, runs: ledgersOf(comparison) };
  const sections: [id: string, title: string, body: Markup | ''][] = [
    ['ratios', 'Ratios', ratioPicture(paired)],
    ['latency', 'Latencies', html`${latencyPicture(paired, scenario)}${figures(report, comparison, paired)}`],
    ['ledger', 'Ledger', ledgers.runs.length > 0 ? html`<div class="charts">${ledgerSection(ledgers)}</div>` : ''],
    ['evidence', 'Evidence', pairedEvidence(comparison, paired, scenario)],
    ['job', 'Job and machines', folded('Options, versions and machines of one run of each target', jobSection(report))],
    ['how-to-read', 'How to read this page', folded('Metrics, stages and rules', howToRead(report))],
  ];
  const filled = sections.filter(([, , body]) => body !== '');
  const links = filled.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`);
  const body = html`<header><p class="aside">ringside compare ${scenario.name}: ${scenario.summary}</p>
<h1>${answer.join(' ')}</h1>
${ratioThresholdList(comparison)}
${circumstances(report, comparison, paired)}
${disagreeing !== '' && html`<p class="notice">${disagreeing}</p>`}
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

/** Formats the limits of the answer: broken thresholds, void runs, targets without figures, and the measurement. */
function circumstances({ scenario, runs }: Report, comparison: Comparison, paired: Paired): Markup {
  const broken = failedThresholds(comparison.rows.flatMap((row) => row.runs.map(({ result }) => result)));
  const { voided } = runsInWords(comparison);
  const [first] = runs;
  const notes = notesOf(first?.result, scenario);
  const doubtful = [...broken, ...(voided === '' ? [] : [voided]), ...notes];
  const absent = missing(comparison, paired);
  const lines = [shapeInWords(comparison, paired, scenario), machineInWords(comparison, paired)];
  return html`${doubtful.map((text) => html`<p class="doubtful">${text}</p>`)}
${absent.map(({ target, why }) => html`<p><strong>${target}</strong> ${why}</p>`)}
${asides(lines)}`;
}

function asides(lines: readonly string[]): Markup {
  return html`<p class="aside">${lines.map((line, index) => html`${index > 0 && html`<br>`}${line}`)}</p>`;
}

/** Formats a cell whose brackets stay on one line. */
function cellOf(text: string): Markup | string {
  const [value, ...rest] = text.split(/ (?=[[(])/);
  return rest.length === 0 ? text : html`${value} <span class="interval">${rest.join(' ')}</span>`;
}

function figures({ scenario }: Report, comparison: Comparison, paired: Paired): Markup | '' {
  const { head, rows, legend } = pairedTable(paired, scenario);
  const { warned } = runsInWords(comparison);
  if (rows.length === 0) return '';
  const lines = [...legend, ...(warned === '' ? [] : [warned])];
  const cells = rows.map((row) => row.map(cellOf));
  return html`${dataTable('Targets', head, cells)}${asides(lines)}`;
}

function folded(title: string, body: Markup): Markup {
  return html`<details><summary>${title}</summary>${body}</details>`;
}

/** Returns one run for each target, with the ledgers and shards of all its runs. */
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
