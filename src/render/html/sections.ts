import { stopReasons } from '../../contract/stop-reasons.js';
import { readableCauses } from '../../measure/causes.js';
import { type Books, countIn, type Sum, shadeOf } from '../../measure/ledger.js';
import { isLowerEnd, metricSpecs, presentMetrics } from '../../measure/metric-names.js';
import { minSamplesBeyond, spelled } from '../../measure/samples/distribution.js';
import { sumCauses } from '../../measure/samples/sample-sum.js';
import { metricTable } from '../../measure/series.js';
import { verdictRules } from '../../measure/verdict/verdict.js';
import { gaugeTable } from '../../results/progress.js';
import type { RunResult } from '../../results/result.js';
import { causesInWords, countText, shareOf } from '../../units/text.js';
import { independentCount, tooFewInWords } from '../words/notes.js';
import { leastInWords } from '../words/verdict-words.js';
import { dataTable, html, inMs, type Markup } from './markup.js';
import type { Report, ReportRun } from './runs.js';

const unitWords: Readonly<Record<string, string>> = { perSecond: 'per second', percent: '%' };

export function howToRead({ scenario, runs }: Pick<Report, 'scenario' | 'runs'>): Markup {
  const present = new Set(runs.flatMap(({ result }) => Object.keys(result.metrics)));
  const metrics = Object.entries(metricSpecs(scenario, present)).flatMap(([name, { of, meaning, isOptional }]) =>
    (isOptional && !present.has(name)) || isLowerEnd(scenario, name) ? [] : [[name, of, meaning]],
  );
  const stages = scenario.stages.map(({ name, isMeasured, summary }) => [name, summary, isMeasured ? 'yes' : 'no']);
  const stops = Object.values(stopReasons).map(({ title, means, isComplete }) => [
    title,
    means,
    isComplete ? 'yes' : 'no',
  ]);
  const rules = verdictRules.map(({ rule, level, threshold, reason }) => [
    html`<code id="rule-${rule}">${rule}</code>`,
    level === 'figure' ? 'bounds figures' : level,
    threshold,
    reason,
  ]);
  const folded = (caption: string, head: readonly string[], rows: Parameters<typeof dataTable>[2]): Markup =>
    html`<details><summary>${caption}</summary>${dataTable(caption, head, rows)}</details>`;
  const series = (table: Readonly<Record<string, { unit: string; means: string }>>): string[][] =>
    Object.entries(table).map(([name, { unit, means }]) => [name, unitWords[unit] ?? unit, means]);
  return html`<p>${scenario.name}: ${scenario.summary}.</p>
<p>Percentiles are by nearest rank over all samples of all shards. They are merged, never averaged.
A percentile needs at least ${minSamplesBeyond} samples beyond it.
A 95 % interval is of this stretch of this run.
It says how far the figure would move if the broadcasts were others of the same kind.</p>
${dataTable('Metrics', ['metric', 'property of', 'what it measures'], metrics)}
${folded('Stages of the run', ['stage', 'what happens', 'the load generator is measured'], stages)}
${folded('What each shard reports over time', ['gauge', 'unit', 'meaning'], series(gaugeTable))}
${folded('What is observed of the target and its machine', ['observation', 'unit', 'meaning'], series(metricTable))}
${folded('What can stop a run', ['stop reason', 'meaning', 'planned end'], stops)}
<h3>How a figure can be wrong</h3>
<p>Every run is checked by these rules. A rule that applies is in the verdict above, with its figures.
Some judge the run, others bound single figures.</p>
${dataTable('Rules of the verdict', ['rule', 'verdict', 'applies from', 'why'], rules)}`;
}

type Ledger = RunResult['ledger'];

export function ledgerSection({ runs, scenario }: Report): Markup {
  return html`${runs.map((run) => {
    const { ledger } = run.result;
    const sums = sumsOf(scenario.books, ledger);
    const bars = sums.map((sum) => bar(scenario.books, sum, ledger));
    const drawn = sums.map(({ whole, parts }) => startOf(ledger, whole[0], parts[0]?.[0] ?? ''));
    const lines = scenario
      .ledgerLines(ledger)
      .filter(([, text]) => !drawn.some((start) => text.startsWith(start)))
      .map(([label, text]) => html`<dt>${label}</dt><dd>${text}</dd>`);
    const heading = runs.length > 1 && html`<h3>${run.label}</h3>`;
    return html`<section class="ledger" aria-label="${`Ledger of ${run.label}`}">${heading}
${bars}
<dl>${lines}${causes(run)}</dl></section>
`;
  })}`;
}

/** Returns the start of a line that a bar repeats: `200 = 198 `. */
function startOf(ledger: Ledger, whole: string, part: string): string {
  return `${countText(Number(ledger[whole]))} = ${countText(Number(ledger[part]))} `;
}

/** Returns the sums with complete counts. Of several with one title, it returns the first. */
export function sumsOf({ sums }: Books, ledger: Ledger): Sum[] {
  const drawn = new Set<string>();
  return sums.filter(({ whole: [entry, title], parts, isDetail }) => {
    if (isDetail) return false;
    const isThere = [entry, ...parts.map(([part]) => part)].every((name) => countIn(ledger, name) !== null);
    if (!isThere || drawn.has(title)) return false;
    drawn.add(title);
    return true;
  });
}

const widthPx = 1000;

function bar(books: Books, { whole: [entry, title], parts: named }: Sum, ledger: Ledger): Markup {
  const parts = named.map((part) => ({ size: Number(ledger[part[0]]), name: part[1], kind: shadeOf(books, part) }));
  const whole = Number(ledger[entry]);
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  const scale = widthPx / Math.max(1, whole, total);
  let end = 0;
  const pieces = parts.map(({ size, kind }) => {
    end += size * scale;
    // A single loss among millions stays visible.
    const width = Math.max(3, size * scale);
    const x = Math.min(end - size * scale, widthPx - width);
    return size > 0 && html`<rect class="${kind}" x="${x.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="18"/>`;
  });
  const words = parts.map(({ size, name }) => `${countText(size)} ${name}`).join(' + ');
  const sum = total === whole ? 'adds up' : `does NOT add up: the parts come to ${countText(total)}`;
  const label = `${countText(whole)} ${title} = ${words}; ${sum}`;
  const keys = parts.map(({ size, name, kind }) => {
    const square = html`<rect class="${kind}" width="14" height="14"/>`;
    const key = html`<svg width="14" height="14" aria-hidden="true">${square}</svg>`;
    return html`<li>${key} <data value="${size}">${countText(size)}</data> ${name} (${shareOf(size, whole)})</li>`;
  });
  return html`<figure class="bar">
<figcaption><data value="${whole}">${countText(whole)}</data> ${title}: ${sum}</figcaption>
<svg role="img" aria-label="${label}" viewBox="0 0 ${widthPx} 18" preserveAspectRatio="none">${pieces}</svg>
<ul>${keys}</ul></figure>`;
}

function causes({ result: { ledger, shards } }: ReportRun): Markup[] {
  const inLedger = Object.entries(ledger).flatMap(([name, found]) =>
    typeof found === 'object' ? [[name, found] as const] : [],
  );
  const byOccasion = sumCauses(shards.map(({ result }) => result?.causes ?? {}));
  const told = Object.entries(byOccasion).map(
    ([occasion, found]) => [`causes, ${occasion}`, readableCauses(occasion, found)] as const,
  );
  return [...inLedger, ...told].flatMap(([name, found]) =>
    Object.keys(found).length > 0 ? [html`<dt>${name}</dt><dd>${causesInWords(found)}</dd>`] : [],
  );
}

const printed = ['min', 'p50', 'p90', 'p95', 'p99', 'p999', 'max', 'mean'] as const;

export function distributionTable({ runs, scenario }: Report): Markup {
  const head = [
    'metric',
    'least',
    'p50',
    'p90',
    'p95',
    'p99',
    spelled('p999'),
    'largest',
    'mean',
    'samples',
    'independent',
  ];
  return html`${runs.map(({ label, result }) => {
    const rows = presentMetrics(scenario, Object.keys(result.metrics)).flatMap((name) => {
      const metric = result.metrics[name];
      if (!metric || metric.count === 0 || isLowerEnd(scenario, name)) return [];
      const figures = printed.map((figure) => inMs(metric[figure], leastInWords(result.verdict, name, figure)));
      return [[name, ...figures, metric.count, independentCount(metric)]];
    });
    const tooFew = tooFewInWords(result.metrics, scenario);
    const legend = tooFew === '' ? '' : html`<p class="aside">${tooFew}.</p>`;
    return rows.length > 0 ? html`${dataTable(`Distributions of ${label}, ms`, head, rows)}${legend}` : '';
  })}`;
}
