import type { Declaration, HeadlineColumn } from '../measure/declaration.js';
import { parseThreshold, type ThresholdSubjects } from '../measure/threshold.js';

/** What a promise about a scenario can be about: its distributions, the counts of its ledger, and those that stand in its headline as shares. */
export function subjectsOf(scenario: Declaration): ThresholdSubjects {
  return {
    metrics: Object.keys(scenario.metrics),
    counts: Object.keys(scenario.books.kinds),
    shares: scenario.headline.flatMap((column) => (column.kind === 'share' ? column : [])),
  };
}

/** The name of the target's memory per connection among the figures. */
const footprintName = 'footprint';

/**
 * The figure of that name, which is what stands before the sign in a promise: `delivery.p99`, `lost`, or `delivered%` for the share; or `footprint`.
 * Undefined where the scenario has none of that name.
 */
export function figureByName(name: string, scenario: Declaration): HeadlineColumn | undefined {
  if (name === footprintName) return { title: name, kind: 'footprint' };
  const subjects = subjectsOf(scenario);
  const isShare = name.endsWith('%');
  const promises = isShare ? [`${name.slice(0, -1)}>=0%`] : [`${name}>=0ms`, `${name}>=0`];
  const [found] = promises.flatMap((text) => parseThreshold(text, subjects) ?? []);
  switch (found?.kind) {
    case 'figure':
      return { title: name, kind: 'figure', metric: found.metric, figure: found.figure };
    case 'count':
      return { title: name, kind: 'count', entry: found.entry };
    case 'share':
      return { title: name, kind: 'share', part: found.part, whole: found.whole };
    default:
      return undefined;
  }
}

/** The name by which `figureByName` finds it. */
export function figureName(column: HeadlineColumn): string {
  switch (column.kind) {
    case 'figure':
      return `${column.metric}.${column.figure}`;
    case 'count':
      return column.entry;
    case 'share':
      return `${column.part}%`;
    case 'footprint':
      return footprintName;
  }
}

/** Which names there are, for messages. */
export function figureForms(scenario: Declaration): string {
  const { metrics, counts, shares } = subjectsOf(scenario);
  const parts = [
    `METRIC.FIGURE with metric one of ${metrics.join(', ')}`,
    `a count: ${counts.join(', ')}`,
    ...(shares.length > 0 ? [`a share: ${shares.map(({ part }) => `${part}%`).join(', ')}`] : []),
    footprintName,
  ];
  return parts.join('; or ');
}

/** In which unit figures of each kind are kept. */
export const figureUnits = { figure: 'us', count: 'count', share: 'share', footprint: 'bytes' } as const;
