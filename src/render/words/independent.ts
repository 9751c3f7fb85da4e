import type { Declaration } from '../../measure/declaration.js';
import { carryingOf, percentiles, samplesFor, spelled } from '../../measure/samples/distribution.js';
import type { RunResult } from '../../results/result.js';
import { count } from '../../units/words.js';

type Metrics = RunResult['metrics'];

/** Why percentiles are missing, and how many independent samples they need, in a line; empty where none is missing. */
export function tooFewInWords(metrics: Metrics, { metrics: declared }: Pick<Declaration, 'metrics'>): string {
  const measured = Object.keys(declared).flatMap((name) => {
    const metric = metrics[name];
    return metric && metric.count > 0
      ? [{ carrying: carryingOf(metric), events: declared[name]?.independent?.name }]
      : [];
  });
  const missing = Object.entries(percentiles).filter(([, p]) =>
    measured.some(({ carrying }) => carrying < samplesFor(p)),
  );
  if (missing.length === 0) return '';
  const needed = missing.map(([name, p]) => `${spelled(name)} needs ${count(samplesFor(p))}`).join(', ');
  const once = new Map(measured.flatMap(({ events, carrying }) => (events ? [[events, carrying]] : [])));
  const told = [...once].map(
    ([events, carrying]) => `; all of one ${events} count once, which makes ${count(carrying)}`,
  );
  return `–: too few independent samples: ${needed}${told.join('')}`;
}

/** How many independent samples a metric has. */
export function independentCount(metric: Metrics[string]): number {
  return Math.min(metric.count, carryingOf(metric));
}
