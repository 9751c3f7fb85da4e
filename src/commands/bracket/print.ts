import { lowerMedian, minRuns } from '../../measure/stats/estimate.js';
import { renderComparison } from '../../render/comparison.js';
import { openAbove } from '../../render/proof.js';
import { milliseconds } from '../../render/words/figures.js';
import type { Style } from '../../render/words/style.js';
import type { Comparison, HeadlineFigure, Pair } from '../../results/comparison.js';
import type { Scenario } from '../../run/catalog.js';

/** A difference below this is no more than two event loops can make of one truth. */
const smallUs = 500;

/** Independent measurements of one target side by side, and a sentence for each pair of them that says whether they agree. */
export function renderBracket(comparison: Comparison, scenario: Scenario, style: Style): string {
  const sentences = [...clients(comparison), ...publishing(comparison), inProcess(comparison)];
  const [target] = comparison.rows.flatMap(({ runs }) => runs.map(({ result }) => result.target.name));
  const title = `bracket  ${comparison.scenario} of ${target ?? 'no target'}, ${comparison.repeat} interleaved runs of each kind of clients`;
  return [renderComparison(comparison, scenario, style, title), '', ...sentences].join('\n');
}

function clients({ pairs, rows }: Comparison): string[] {
  return ['p50', 'p99'].flatMap((column) => {
    const pair = pairs.find((each) => each.column === column);
    const [wire, library] = ['wire', 'library'].map((name) => figureOf(rows, name, column));
    if (!wire || !library) return [];
    if (!pair) return [`${column}: too few runs to say whether wire and library clients agree; ${minRuns} tell`];
    return [sentence(column, pair, library.median - wire.median)];
  });
}

function sentence(column: string, { ratio, interval: [low, high], isBeyondNoise }: Pair, differenceUs: number): string {
  const times = `wire over library ${ratio.toFixed(2)} [${low.toFixed(2)} to ${high.toFixed(2)}]`;
  const apartAtMost = Math.max(high, 1 / low);
  if (!isBeyondNoise && apartAtMost > openAbove)
    return `${column}: open: the noise could hide a factor of ${apartAtMost.toFixed(1)} between wire and library clients (${times}); more repeats tell more`;
  if (!isBeyondNoise) return `${column}: wire and library clients agree within the noise (${times})`;
  const apart = milliseconds(Math.abs(differenceUs));
  const [more, less] = differenceUs > 0 ? ['library', 'wire'] : ['wire', 'library'];
  if (Math.abs(differenceUs) <= smallUs)
    return `${column}: ${more} clients say ${apart} ms more than ${less} clients (${times}): two event loops can make that of one truth`;
  return `${column}: they do NOT agree: ${more} clients say ${apart} ms more than ${less} clients (${times}); so much is the clients’ and not the target’s`;
}

/** The target's answer to the publish knows nothing of the subscribers' side. */
function publishing({ rows }: Comparison): string[] {
  const delivery = figureOf(rows, 'wire', 'p50');
  const ack = figureOf(rows, 'wire', 'publish ack p50');
  if (!delivery || !ack) return [];
  const beyondUs = delivery.median - ack.median;
  if (beyondUs <= smallUs) {
    return [
      `publish: half of the deliveries are there ${milliseconds(Math.abs(beyondUs))} ms ${beyondUs <= 0 ? 'before' : 'after'} the publish is answered: the two agree on where the time goes`,
    ];
  }
  return [
    `publish: half of the deliveries come ${milliseconds(beyondUs)} ms and more after the publish was answered: the target fans out after its answer, or the subscribers’ side adds it`,
  ];
}

/** What the target says of itself: a diagnostic, not a latency that anybody felt. */
function inProcess({ rows }: Comparison): string {
  const runs = rows.flatMap((row) => row.runs.map(({ result }) => result.metrics.publishInTarget?.p50 ?? null));
  const told = runs.filter((us): us is number => us !== null);
  if (told.length === 0) return 'in process: the target does not tell how long its own publish call takes';
  return `in process: the target’s own publish call takes ${milliseconds(lowerMedian(told))} ms by its own clock (a diagnostic, without HTTP and subscribers)`;
}

function figureOf(rows: Comparison['rows'], row: string, column: string): HeadlineFigure | undefined {
  return rows.find(({ target }) => target === row)?.figures.find((each) => each.column === column);
}
