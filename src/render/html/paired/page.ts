import { countUnitOf } from '../../../measure/ledger.js';
import type { Comparison } from '../../../results/comparison.js';
import type { Paired } from '../../../results/paired.js';
import type { RunResult } from '../../../results/result.js';
import { comparisonDocument } from '../../comparison.js';
import { documentHtml } from '../../document/html.js';
import { answerOf } from '../../paired/answer.js';
import { html, type Markup, printDocument } from '../document.js';
import type { Report, ReportRun } from '../runs.js';
import { howToRead } from '../sections/how-to-read.js';
import { jobSection } from '../sections/job.js';
import { ledgerSection } from '../sections/ledger.js';
import { pairedEvidence } from './evidence.js';
import { latencyPicture } from './picture.js';
import { ratioPicture } from './ratios.js';

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
