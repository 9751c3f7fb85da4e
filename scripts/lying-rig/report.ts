import { milliseconds } from '../../src/render/words/figures.js';
import { paint, type Style } from '../../src/render/words/style.js';
import { columnsOrBlocks } from '../../src/render/words/table.js';
import { doubtTexts } from '../../src/render/words/verdict-words.js';
import { leastByMarks } from '../../src/results/figures.js';
import type { RunResult } from '../../src/results/result.js';
import { count } from '../../src/units/words.js';
import type { Load } from './rigs.js';

const shown = [
  ['delivery', 'p50'],
  ['delivery', 'p99'],
  ['deliveryAtLeast', 'p50'],
  ['deliveryAtLeast', 'p99'],
  ['publishAck', 'p50'],
] as const;

/** In microseconds; null if the run has too few samples. */
function figure({ metrics }: RunResult, metric: string, percentile: 'p50' | 'p99'): number | null {
  return metrics[metric]?.[percentile] ?? null;
}

/** What Ringside says of a run's p99: the rig may have raised it, or it stands. */
function saidOfP99({ verdict }: RunResult): 'clean' | 'marked' | 'void' {
  if (verdict.rig === 'void') return 'void';
  return verdict.rig === 'limited' || leastByMarks(verdict, 'delivery', 'p99') !== undefined ? 'marked' : 'clean';
}

/** Whether a marked p99 falls for the same load, or loses its mark. A void run shows nothing. */
export function isReversed(starved: RunResult, roomy: RunResult): boolean {
  const [from, to] = [figure(starved, 'delivery', 'p99'), figure(roomy, 'delivery', 'p99')];
  const isLower = from !== null && to !== null && to < from;
  const [before, after] = [saidOfP99(starved), saidOfP99(roomy)];
  return before === 'marked' && after !== 'void' && (isLower || after === 'clean');
}

/** Both rigs for the terminal: figures, verdicts with evidence, and what follows from them. */
export function sideBySide(load: Load, starved: RunResult, roomy: RunResult, style: Style): string {
  const { title, good, doubtful, bad } = paint(style);
  const runs = [starved, roomy];
  const words = { clean: good('clean'), marked: doubtful('marked'), void: bad('void') };
  const rows = [
    ...shown.map(([metric, at]) => [`${metric} ${at}`, ...runs.map((run) => inMs(figure(run, metric, at)))]),
    ['verdict on p99', ...runs.map((run) => words[saidOfP99(run)])],
  ];
  const evidence = runs.flatMap((run) => [
    `${rigOf(run)}: ${words[saidOfP99(run)]}`,
    ...run.verdict.evidence.map(({ rule, text }) => `  ${rule}: ${text}`),
    ...doubtTexts(run.verdict).map((text) => `  ${text}`),
  ]);
  const asked = `${count(load.broadcasts)} broadcasts to ${count(load.subscribers)} subscribers of ${load.target}`;
  const found = isReversed(starved, roomy) ? conclusions(starved, roomy) : [failure(starved, roomy)];
  return [
    title(`${asked}, measured by two rigs`),
    '',
    columnsOrBlocks(style.columns, ['', ...runs.map(rigOf)], rows),
    '',
    ...evidence,
    '',
    title(found.join('\n')),
  ].join('\n');
}

/** What made the load: `1 loop, library clients`. */
function rigOf({ shards, target }: RunResult): string {
  const workers = shards.flatMap(({ result }) => result?.rig.workers ?? []);
  const loops = workers.filter(({ role }) => role === 'audience').length;
  return `${loops} ${loops === 1 ? 'loop' : 'loops'}, ${target.client} clients`;
}

function failure(starved: RunResult, roomy: RunResult): string {
  if ([starved, roomy].some((run) => saidOfP99(run) === 'void')) return 'This shows nothing: a run is void.';
  if (saidOfP99(starved) === 'clean') return 'One loop was enough for this load. Try more subscribers.';
  return 'This machine has no room for a second rig: both are marked, and p99 did not fall.';
}

function conclusions(starved: RunResult, roomy: RunResult): string[] {
  const second = saidOfP99(roomy) === 'clean' ? 'not that of the second rig' : 'also that of the second rig';
  const marked = `Ringside marked the p99 of the single loop, ${second}.`;
  const [from, to] = [figure(starved, 'delivery', 'p99'), figure(roomy, 'delivery', 'p99')];
  if (from === null || to === null) return ['The runs have too few samples for a p99.', marked];
  if (to >= from) return [`p99 did not fall: ${inMs(from)}, then ${inMs(to)}.`, marked];
  const part = `${inMs(from - to)} (${(((from - to) / from) * 100).toFixed(0)} %)`;
  const [before, after] = [starved, roomy].map(({ metrics }) => metrics.delivery?.intervals.p99);
  const isBeyondNoise = before !== undefined && after !== undefined && after[1] < before[0];
  const least = figure(starved, 'deliveryAtLeast', 'p99');
  const range = least === null ? [] : [`The single loop said: between ${inMs(least)} and ${inMs(from)}.`];
  return [
    `The same load on a rig with room: p99 fell from ${inMs(from)} to ${inMs(to)}.`,
    isBeyondNoise
      ? `The rig, not the server, caused ${part} of the p99 of the single loop.`
      : `The difference of ${part} may be chance: the intervals overlap or are unknown.`,
    ...range,
    marked,
  ];
}

function inMs(us: number | null): string {
  return us === null ? '–' : `${milliseconds(us)} ms`;
}
