import { type Declaration, publishWayOf } from '../measure/declaration.js';

/** The metric that is shown over time: the first of the headline. */
export function mainMetric({ headline }: Pick<Declaration, 'headline'>): string | undefined {
  return headline.find((column) => column.kind === 'figure')?.metric;
}

/** The same, where a run of these options tells of it while it goes: its samples are counted over time, and somebody stamps the sends. */
export function liveMetric(scenario: Declaration, options: Record<string, unknown>): string | undefined {
  const metric = mainMetric(scenario);
  const isTimed = publishWayOf(scenario, options) !== 'in-process';
  return metric !== undefined && isTimed && scenario.blockTimes?.(options)[metric] ? metric : undefined;
}
