import { stopReasons } from '../../../contract/stop-reasons.js';
import { isLowerEnd, metricSpecs } from '../../../measure/metric-names.js';
import { minSamplesBeyond } from '../../../measure/samples/distribution.js';
import { metricTable } from '../../../measure/series.js';
import { verdictRules } from '../../../measure/verdict/verdict.js';
import { gaugeTable } from '../../../results/over-time/series.js';
import { dataTable } from '../charts/figure.js';
import { html, type Markup } from '../document.js';
import type { Report } from '../runs.js';

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
    level === 'figure' ? 'marks figures' : level,
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
${folded('Stages of the run', ['stage', 'what happens', 'the rig is measured'], stages)}
${folded('What each shard reports over time', ['gauge', 'unit', 'meaning'], series(gaugeTable))}
${folded('What is observed of the target and its machine', ['observation', 'unit', 'meaning'], series(metricTable))}
${folded('What can stop a run', ['stop reason', 'meaning', 'planned end'], stops)}
<h3>How a figure can be wrong</h3>
<p>Every run is checked by these rules. A rule that applies is in the verdict above, with its figures.
Some judge the run, others mark single figures.</p>
${dataTable('Rules of the verdict', ['rule', 'verdict', 'applies from', 'why'], rules)}`;
}
