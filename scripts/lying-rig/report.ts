import { milliseconds } from '../../src/render/words/figures.js';
import { paint, type Style } from '../../src/render/words/style.js';
import { columnsOrBlocks } from '../../src/render/words/table.js';
import type { RunResult } from '../../src/results/result.js';
import { count } from '../../src/units/words.js';
import type { Load } from './rigs.js';

/** One rig's figures in microseconds; null where a run has too few samples. */
interface Reading {
  rig: string;
  verdict: RunResult['verdict'];
  p50: number | null;
  p99: number | null;
  leastP50: number | null;
  leastP99: number | null;
  ackP50: number | null;
  /** 95 % interval over broadcasts. */
  p99Interval: readonly [number, number] | undefined;
}

function readingOf({ target, shards, metrics, verdict }: RunResult): Reading {
  const { delivery, deliveryAtLeast, publishAck } = metrics;
  const workers = shards.flatMap(({ result }) => result?.rig.workers ?? []);
  const loops = workers.filter(({ role }) => role === 'audience').length;
  return {
    rig: `${loops} ${loops === 1 ? 'loop' : 'loops'}, ${target.client} clients`,
    verdict,
    p50: delivery?.p50 ?? null,
    p99: delivery?.p99 ?? null,
    leastP50: deliveryAtLeast?.p50 ?? null,
    leastP99: deliveryAtLeast?.p99 ?? null,
    ackP50: publishAck?.p50 ?? null,
    p99Interval: delivery?.intervals.p99,
  };
}

/**
 * Whether the single loop is limited, and the rig with room has the lower p99 or the verdict clean. A void run shows
 * nothing.
 */
export function isReversed(starved: RunResult, roomy: RunResult): boolean {
  const [from, to] = [starved.metrics.delivery?.p99 ?? null, roomy.metrics.delivery?.p99 ?? null];
  const isLower = from !== null && to !== null && to < from;
  return (
    starved.verdict.rig === 'limited' && roomy.verdict.rig !== 'void' && (isLower || roomy.verdict.rig === 'clean')
  );
}

/** Both rigs for the terminal: figures, verdicts with evidence, and what follows from them. */
export function sideBySide(load: Load, starved: RunResult, roomy: RunResult, style: Style): string {
  const { title, good, doubtful, bad } = paint(style);
  const readings = [readingOf(starved), readingOf(roomy)] as const;
  const row = (what: string, cell: (reading: Reading) => string): string[] => [what, ...readings.map(cell)];
  const verdictOf = ({ verdict: { rig } }: Reading): string =>
    ({ clean: good('clean'), limited: doubtful('limited'), void: bad('void') })[rig];
  const rows = [
    row('delivery p50', ({ p50 }) => inMs(p50)),
    row('delivery p99', ({ p99 }) => inMs(p99)),
    row('p50 without waiting in the rig', ({ leastP50 }) => inMs(leastP50)),
    row('p99 without waiting in the rig', ({ leastP99 }) => inMs(leastP99)),
    row('publish ack p50', ({ ackP50 }) => inMs(ackP50)),
    row('verdict', verdictOf),
  ];
  const evidence = readings.flatMap((reading) => [
    `${reading.rig}: ${verdictOf(reading)}`,
    ...reading.verdict.evidence.map(({ rule, text }) => `  ${rule}: ${text}`),
  ]);
  const asked = `${count(load.broadcasts)} broadcasts to ${count(load.subscribers)} subscribers of ${load.target}`;
  const found = isReversed(starved, roomy) ? conclusions(...readings) : [failure(...readings)];
  return [
    title(`${asked}, measured by two rigs`),
    '',
    columnsOrBlocks(style.columns, ['', ...readings.map(({ rig }) => rig)], rows),
    '',
    ...evidence,
    '',
    title(found.join('\n')),
  ].join('\n');
}

function failure(starved: Reading, roomy: Reading): string {
  const isVoid = [starved, roomy].some(({ verdict }) => verdict.rig === 'void');
  if (isVoid) return 'This shows nothing: a run is void.';
  if (starved.verdict.rig === 'clean') return 'One loop was enough for this load. Try more subscribers.';
  return 'This machine has no room for a second rig: both are limited, and p99 did not fall.';
}

function conclusions(starved: Reading, roomy: Reading): string[] {
  const marked = `Ringside marked the single loop limited and the second rig ${roomy.verdict.rig}.`;
  if (starved.p99 === null || roomy.p99 === null) return ['The runs have too few samples for a p99.', marked];
  if (roomy.p99 >= starved.p99) return [`p99 did not fall: ${inMs(starved.p99)}, then ${inMs(roomy.p99)}.`, marked];
  const part = starved.p99 - roomy.p99;
  const share = ((part / starved.p99) * 100).toFixed(0);
  const isBeyondNoise =
    starved.p99Interval !== undefined &&
    roomy.p99Interval !== undefined &&
    roomy.p99Interval[1] < starved.p99Interval[0];
  return [
    `The same load on a rig with room: p99 fell from ${inMs(starved.p99)} to ${inMs(roomy.p99)}.`,
    isBeyondNoise
      ? `The rig, not the server, caused ${inMs(part)} (${share} %) of the p99 of the single loop.`
      : `The difference of ${inMs(part)} (${share} %) may be chance: the intervals overlap or are unknown.`,
    ...bracketed(starved, roomy.p99),
    marked,
  ];
}

/** Whether the second rig's p99 lies in the interval that the single loop reported. */
function bracketed({ leastP99, p99 }: Reading, found: number): string[] {
  if (leastP99 === null) return [];
  const where = found < leastP99 ? 'below' : 'in';
  return [`The single loop said: between ${inMs(leastP99)} and ${inMs(p99)}. The second p99 lies ${where} that range.`];
}

function inMs(us: number | null): string {
  return us === null ? '–' : `${milliseconds(us)} ms`;
}
