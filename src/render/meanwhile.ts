import type { Declaration } from '../measure/declaration.js';
import { bestOf, pointsTogether } from '../results/courses.js';
import type { RunResult } from '../results/result.js';
import { count } from '../units/words.js';

/** What the target and its host did while clients came back from a restart; empty without a restart or readings. */
export function meanwhileLine(
  { environment: { stages: spans, observations } }: Pick<RunResult, 'environment'>,
  { disruption, stages }: Pick<Declaration, 'disruption' | 'stages'>,
): string {
  const stage = disruption && stages.find(({ gate }) => gate === disruption.gate)?.name;
  const span = spans.find(({ name }) => name === stage);
  if (!span) return '';
  const within = (name: string): number[] =>
    pointsTogether(bestOf(observations, name), 'sum')
      .filter(({ atMs }) => atMs >= span.fromMs && atMs <= span.toMs)
      .map(({ value }) => value);
  const cpu = within('cpuPercent');
  const overflows = within('acceptQueueOverflowsPerSecond');
  const mean = cpu.reduce((sum, each) => sum + each, 0) / cpu.length;
  const full = overflows.filter((each) => each > 0).length;
  const said = [
    ...(cpu.length === 0 ? [] : [`CPU ${percent(mean)} mean, ${percent(Math.max(...cpu))} max (100 % is one core)`]),
    ...(overflows.length === 0
      ? []
      : [`host accept queues overflowed in ${count(full)} of ${count(overflows.length)} readings`]),
  ];
  return said.length === 0 ? '' : `target in ${stage}  ${said.join(' · ')}`;
}

function percent(value: number): string {
  return `${value.toFixed(0)} %`;
}
