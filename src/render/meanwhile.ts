import type { Declaration } from '../measure/declaration.js';
import type { RunResult } from '../results/result.js';
import { count } from '../units/words.js';

type Observed = Pick<RunResult, 'environment'>;

/** What the target's processes and its host's accept queues did while clients came back from a restart; empty where nothing was restarted or seen. */
export function meanwhileLine(
  result: Observed,
  { disruption, stages }: Pick<Declaration, 'disruption' | 'stages'>,
): string {
  const stage = disruption && stages.find(({ gate }) => gate === disruption.gate)?.name;
  const span = result.environment.stages.find(({ name }) => name === stage);
  if (!span) return '';
  const within = (name: string): number[] =>
    roundsOf(result, name)
      .filter(([atMs]) => atMs >= span.fromMs && atMs <= span.toMs)
      .map(([, value]) => value);
  const cpu = within('cpuPercent');
  const overflows = within('acceptQueueOverflowsPerSecond');
  const said = [
    ...(cpu.length === 0
      ? []
      : [`CPU ${percent(mean(cpu))} on average, ${percent(Math.max(...cpu))} at most, 100 % being one core`]),
    ...(overflows.length === 0
      ? []
      : [
          `accept queues of the host overflowed in ${count(overflows.filter((each) => each > 0).length)} of ${count(overflows.length)} readings`,
        ]),
  ];
  return said.length === 0 ? '' : `target meanwhile  ${said.join(' · ')}`;
}

/** What all processes of the target had together at each instant, from the first source that has the metric. */
function roundsOf({ environment }: Observed, name: string): [atMs: number, value: number][] {
  const series = environment.observations.filter((each) => each.name === name && each.points.length > 0);
  const sums = new Map<number, number>();
  for (const { source, points } of series) {
    if (source !== series[0]?.source) continue;
    for (const { atMs, value } of points) sums.set(atMs, (sums.get(atMs) ?? 0) + value);
  }
  return [...sums];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

function percent(value: number): string {
  return `${value.toFixed(0)} %`;
}
