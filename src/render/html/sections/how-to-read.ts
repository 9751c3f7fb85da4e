import { stopReasons } from '../../../contract/stop-reasons.js';
import type { Declaration } from '../../../measure/declaration.js';
import { minSamplesBeyond } from '../../../measure/samples/distribution.js';
import { verdictRules } from '../../../measure/verdict/verdict.js';
import { gaugeTable } from '../../../results/gauges.js';
import { observationTable } from '../../../results/observations.js';
import { dataTable } from '../charts/figure.js';
import { html, type Markup } from '../markup.js';

const unitWords = {
  count: 'count',
  perSecond: 'per second',
  ms: 'ms',
  cores: 'cores',
  bytes: 'bytes',
  percent: '%',
} as const;

/** What each figure means, how it can be wrong, and how Ringside would say so: out of what the code declares. */
export function howToRead(scenario: Declaration): Markup {
  const metrics = Object.entries(scenario.metrics).map(([name, { of, meaning }]) => [
    name,
    of === 'target' ? 'the target’s, when the verdict is clean' : 'the rig’s own',
    meaning,
  ]);
  const stages = scenario.stages.map(({ name, isMeasured, summary }) => [name, summary, isMeasured ? 'yes' : 'no']);
  const gauges = Object.entries(gaugeTable).map(([name, { unit, means }]) => [name, unitWords[unit], means]);
  const observations = Object.entries(observationTable).map(([name, { unit, means }]) => [
    name,
    unitWords[unit],
    means,
  ]);
  const stops = Object.values(stopReasons).map(({ title, means, isComplete }) => [
    title,
    means,
    isComplete ? 'yes' : 'no',
  ]);
  return html`<p>${scenario.name}: ${scenario.summary}.</p>
<h3>What each figure means</h3>
<p>Percentiles are by nearest rank over all samples of all shards, merged and never averaged; with fewer than ${minSamplesBeyond} samples beyond it, a percentile is not printed. Over time they are read from bins 1.6 % wide, and have three digits. Each interval says where the figure would lie, 95 times in 100, had the broadcasts been others of their kind.</p>
${dataTable('Distributions', ['metric', 'whose property', 'what it measures'], metrics)}
${dataTable('Stages of the run', ['stage', 'what happens', 'the rig is measured'], stages)}
${dataTable('What each shard tells of itself over time', ['gauge', 'unit', 'what it is'], gauges)}
${dataTable('What is observed of the target and its machine over time, where it can be', ['observation', 'unit', 'what it is'], observations)}
<h3>How it can be wrong, and how Ringside would say so</h3>
<p>A number is the target’s only while nothing shows the rig in it. Each rule looks at every run; one that speaks is in the verdict above, with its figures.</p>
${dataTable(
  'Rules of the verdict',
  ['rule', 'makes the run', 'speaks from', 'because'],
  verdictRules.map(({ rule, level, threshold, reason }) => [
    html`<code id="rule-${rule}">${rule}</code>`,
    level,
    threshold,
    reason,
  ]),
)}
<h3>What can stop a run</h3>
${dataTable('Stop reasons', ['stop reason', 'what it means', 'went to its planned end'], stops)}`;
}
