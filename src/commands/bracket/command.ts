import { lowerMedian, minRuns } from '../../measure/stats/estimate.js';
import { renderComparison } from '../../render/comparison.js';
import { openAbove } from '../../render/proof.js';
import { milliseconds } from '../../render/words/figures.js';
import type { Style } from '../../render/words/style.js';
import type { Comparison, HeadlineFigure, Pair } from '../../results/comparison.js';
import { clientKinds, type Scenario, scenarios } from '../../run/catalog.js';
import { bracketSchema, planRun } from '../../run/plan/plan.js';
import type { ScenarioCommand } from '../command.js';
import { measureComparison } from '../compare/command.js';
import { compare } from '../compare/compare.js';

/** `ringside bracket latency`: the same load through wire clients and the protocol's real library, interleaved. */
export const command: ScenarioCommand = {
  scenarios: scenarios.filter(({ name }) => name === 'latency'),
  schemaOf: bracketSchema,
  run(session, scenario, given) {
    const { repeat, isProving: _, ...plan } = planRun(scenario, given);
    const entrants = clientKinds.map((client) => ({
      plan: { ...plan, load: { ...plan.load, client } },
      label: client,
    }));
    return measureComparison(session, scenario, [plan], {
      fleet: plan.fleet,
      work: (context) => compare(entrants, Math.max(repeat, minRuns), context),
      print: renderBracket,
    });
  },
};

/** Two event loops can differ by this much about one truth. */
const smallUs = 500;

/** Independent measurements of one target side by side, and whether each two agree. */
export function renderBracket(comparison: Comparison, scenario: Scenario, style: Style): string {
  const [target = 'no target'] = comparison.rows.flatMap(({ runs }) => runs.map(({ result }) => result.target.name));
  const { scenario: name, repeat } = comparison;
  const title = `bracket  ${name} of ${target}, ${repeat} interleaved runs per kind of clients`;
  const sentences = [...clients(comparison), ...publishing(comparison), inProcess(comparison)];
  return [renderComparison(comparison, scenario, style, title), '', ...sentences].join('\n');
}

function clients({ pairs, rows }: Comparison): string[] {
  return ['p50', 'p99'].flatMap((column) => {
    const pair = pairs.find((each) => each.column === column);
    const [wire, library] = ['wire', 'library'].map((name) => figureOf(rows, name, column));
    if (!wire || !library) return [];
    if (!pair) return [`${column}: too few runs to compare wire and library clients; give --repeat ${minRuns}`];
    return [sentence(column, pair, library.median - wire.median)];
  });
}

function sentence(column: string, { ratio, interval: [low, high], isBeyondNoise }: Pair, differenceUs: number): string {
  const times = `wire over library ${ratio.toFixed(2)} [${low.toFixed(2)} to ${high.toFixed(2)}]`;
  const apartAtMost = Math.max(high, 1 / low);
  if (!isBeyondNoise && apartAtMost > openAbove)
    return `${column}: open: noise could hide a factor of ${apartAtMost.toFixed(1)} (${times}); use more repeats`;
  if (!isBeyondNoise) return `${column}: wire and library clients agree within the noise (${times})`;
  const [more, less] = differenceUs > 0 ? ['library', 'wire'] : ['wire', 'library'];
  const by = milliseconds(Math.abs(differenceUs));
  const apart = `${more} clients measure ${by} ms more than ${less} clients (${times})`;
  return Math.abs(differenceUs) <= smallUs
    ? `${column}: ${apart}: two event loops can differ by that much`
    : `${column}: they do NOT agree: ${apart}; the clients add that, not the target`;
}

/** Compares with the answer to the publish, which does not depend on the subscribers. */
function publishing({ rows }: Comparison): string[] {
  const delivery = figureOf(rows, 'wire', 'p50');
  const ack = figureOf(rows, 'wire', 'publish ack p50');
  if (!delivery || !ack) return [];
  const beyondUs = delivery.median - ack.median;
  const when = `${milliseconds(Math.abs(beyondUs))} ms ${beyondUs <= 0 ? 'before' : 'after'} the publish is answered`;
  return [
    beyondUs <= smallUs
      ? `publish: half of the deliveries arrive ${when}: the two agree`
      : `publish: half of the deliveries arrive ${when} or later: the target fans out late, or the subscribers add it`,
  ];
}

/** The target's own figure: a diagnostic without HTTP and subscribers. */
function inProcess({ rows }: Comparison): string {
  const known = rows.flatMap(({ runs }) => runs.flatMap(({ result }) => result.metrics.publishInTarget?.p50 ?? []));
  if (known.length === 0) return 'in process: the target does not report how long its publish call takes';
  return `in process: the target’s publish call takes ${milliseconds(lowerMedian(known))} ms by its own clock`;
}

function figureOf(rows: Comparison['rows'], row: string, column: string): HeadlineFigure | undefined {
  return rows.find(({ target }) => target === row)?.figures.find((each) => each.column === column);
}
