import { stringify } from 'csv-stringify/sync';
import type { RunResult } from '../../results/result.js';
import { wholeRun } from '../../results/series.js';
import { asBinned } from '../words/figures.js';
import type { Source } from './source.js';

/** Which end of its span of time a point stands at; nothing where its source does not say. */
type Edge = 'start' | 'end' | '';
type Row = [
  source: string,
  process: string,
  name: string,
  unit: string,
  atMs: number,
  edge: Edge,
  clock: 'own' | 'foreign',
  value: number,
];

const head = ['source', 'process', 'name', 'unit', 'atMs', 'edge', 'clock', 'value'];

/**
 * Everything that is kept over time, in long form: events per second of the timeline, percentiles over time, what shards said of themselves and what was
 * seen of the target. `atMs` is on the axis of the observations; `edge` says whether it is the `start` of the span of time that the value stands for, as
 * of what is counted by second, or the `end`, as of what was read since the reading before it. `clock` is `foreign` where another host's clock stamped it.
 */
export function* timelineCsv({ kept: { environment } }: Pick<Source<RunResult>, 'kept'>): Generator<string> {
  yield stringify([head]);
  const { timeline, loadAtMs, overTime, gauges, observations } = environment;
  for (const [name, seconds] of Object.entries(timeline)) {
    yield stringify(
      seconds.map(
        (value, second): Row => [wholeRun, '', name, 'perSecond', loadAtMs + second * 1000, 'start', 'own', value],
      ),
    );
  }
  for (const [metric, spans] of Object.entries(overTime)) {
    for (const figure of ['count', 'p50', 'p99'] as const) {
      const unit = figure === 'count' ? 'count' : 'us';
      yield stringify(
        spans.flatMap((span): Row[] => {
          const value = figure === 'count' ? span.count : asBinned(span[figure]);
          return value === null
            ? []
            : [[wholeRun, '', `${metric}.${figure}`, unit, span.fromMs, 'start', 'own', value]];
        }),
      );
    }
  }
  for (const { source, name, unit, points } of gauges) {
    yield stringify(points.map(({ atMs, value }): Row => [source, '', name, unit, atMs, 'end', 'own', value]));
  }
  for (const { source, process: of = '', name, unit, clock = 'own', points } of observations) {
    const edge = clock === 'own' ? 'end' : '';
    yield stringify(points.map(({ atMs, value }): Row => [source, of, name, unit, atMs, edge, clock, value]));
  }
}
