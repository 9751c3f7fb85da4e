import type { Declaration } from '../../measure/declaration.js';
import type { Statement } from '../../measure/statement.js';
import { lowerMedian, minRuns } from '../../measure/stats/estimate.js';
import { comparisonDocument, openAbove } from '../../render/comparison.js';
import type { Document } from '../../render/document/document.js';
import { milliseconds } from '../../render/words/values.js';
import type { Comparison, HeadlineFigure, Pair } from '../../results/comparison.js';
import { clientKinds } from '../../scenarios/load-options.js';

/** Microseconds by which two event loops can differ on one value. */
const smallUs = 500;

/** Returns true if the rows are the kinds of clients of one target. */
export function isBracket({ rows }: Pick<Comparison, 'rows'>): boolean {
  return rows.map(({ target }) => target).join() === clientKinds.join();
}

/** Shows independent measurements of one target side by side, and for each two whether they agree. */
export function bracketDocument(comparison: Comparison, scenario: Declaration): Document {
  const [target = 'no target'] = comparison.rows.flatMap(({ runs }) => runs.map(({ result }) => result.target.name));
  const { scenario: name, repeat } = comparison;
  const title = `bracket  ${name} of ${target}, ${repeat} runs of each kind of clients, in turn`;
  const sentences = [...clients(comparison), ...publishing(comparison), ...inProcess(comparison)];
  const board = comparisonDocument(comparison, scenario, title);
  return { ...board, parts: [{ isAnswer: true, blocks: sentences }, ...board.parts] };
}

function clients({ pairs, rows }: Comparison): string[] {
  const found = ['p50', 'p99'].flatMap((column) => {
    const pair = pairs.find((each) => each.column === column);
    const [wire, library] = ['wire', 'library'].map((name) => figureOf(rows, name, column));
    if (!wire || !library) return [];
    if (!pair)
      return [`${column}: too few valid runs to compare wire and library clients; give --repeat ${minRuns} or more`];
    return [sentence(column, pair, library.median - wire.median)];
  });
  return found.length > 0 ? found : ['clients: no valid run of both kinds, so nothing was compared'];
}

/** Returns whether both kinds agree. Open within noise, and where two event loops can differ as much. */
export function agreementOf(
  { interval: [low, high], isBeyondNoise }: Pick<Pair, 'interval' | 'isBeyondNoise'>,
  differenceUs: number,
): Pick<Statement, 'holds' | 'because'> {
  if (!isBeyondNoise)
    return apartAtMost([low, high]) > openAbove ? { holds: 'open', because: 'chance' } : { holds: 'yes' };
  return Math.abs(differenceUs) <= smallUs ? { holds: 'open', because: 'rig' } : { holds: 'no' };
}

const apartAtMost = ([low, high]: Pair['interval']): number => Math.max(high, 1 / low);

function sentence(column: string, pair: Pair, differenceUs: number): string {
  const [ratio, low, high] = [pair.ratio, ...pair.interval].map((each) => each.toFixed(2));
  const times = `wire over library ${ratio} [${low} to ${high}]`;
  const [more, less] = differenceUs > 0 ? ['library', 'wire'] : ['wire', 'library'];
  const by = milliseconds(Math.abs(differenceUs));
  const apart = `${more} clients measure ${by} ms more than ${less} clients (${times})`;
  const says = {
    yes: `wire and library clients agree within the noise (${times})`,
    chance: `open: noise could hide a factor of ${apartAtMost(pair.interval).toFixed(1)} (${times}); repeat more often`,
    rig: `${apart}; two event loops can differ by that much`,
    no: `they do NOT agree: ${apart}; the clients add that, not the target`,
  };
  const { holds, because } = agreementOf(pair, differenceUs);
  return `${column}: ${says[holds === 'open' ? (because === 'rig' ? 'rig' : 'chance') : holds]}`;
}

/** Compares with the answer to the publish, which does not depend on the subscribers. */
function publishing({ rows }: Comparison): string[] {
  const delivery = figureOf(rows, 'wire', 'p50');
  const ack = figureOf(rows, 'wire', 'publish ack p50');
  if (!delivery || !ack) return [];
  const beyondUs = delivery.median - ack.median;
  const when = `${milliseconds(Math.abs(beyondUs))} ms ${beyondUs <= 0 ? 'before' : 'after'} the median publish ack`;
  return [
    beyondUs <= smallUs
      ? `publish: the median delivery arrives ${when}: the two agree`
      : `publish: the median delivery arrives ${when}: the target sends late, or the subscribers add the delay`,
  ];
}

/** Prints the target's own figure: a diagnostic without HTTP and subscribers. */
function inProcess({ rows }: Comparison): string[] {
  const results = rows.flatMap(({ runs }) => runs.map(({ result }) => result));
  if (results.length === 0) return [];
  const known = results.flatMap(({ metrics }) => metrics.publishInTarget?.p50 ?? []);
  if (known.length === 0) return ['in process: the target does not report how long its publish call takes'];
  return [`in process: the target’s publish call takes ${milliseconds(lowerMedian(known))} ms by its own clock`];
}

function figureOf(rows: Comparison['rows'], row: string, column: string): HeadlineFigure | undefined {
  return rows.find(({ target }) => target === row)?.figures.find((each) => each.column === column);
}
