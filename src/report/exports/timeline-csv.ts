import { stringify } from 'csv-stringify/sync';
import { wholeRun } from '../../contract/gauges.js';
import type { RunResult } from '../../contract/result.js';
import type { Source } from './formats.js';

type Row = [source: string, process: string, name: string, unit: string, atMs: number, value: number];

const head = ['source', 'process', 'name', 'unit', 'atMs', 'value'];

/**
 * Everything that is kept over time, in long form: events per second of the timeline, percentiles over time, what shards said of themselves and what was
 * seen of the target. `atMs` is on the axis of the observations, and what stands for a span of time stands at its beginning.
 */
export function* timelineCsv({ kept: { environment } }: Pick<Source<RunResult>, 'kept'>): Generator<string> {
  yield stringify([head]);
  const { timeline, loadAtMs, overTime, gauges, observations } = environment;
  for (const [name, seconds] of Object.entries(timeline)) {
    yield stringify(
      seconds.map((value, second): Row => [wholeRun, '', name, 'perSecond', loadAtMs + second * 1000, value]),
    );
  }
  for (const [metric, spans] of Object.entries(overTime)) {
    for (const figure of ['count', 'p50', 'p99'] as const) {
      const unit = figure === 'count' ? 'count' : 'us';
      yield stringify(
        spans.flatMap((span): Row[] => {
          const value = span[figure];
          return value === null ? [] : [[wholeRun, '', `${metric}.${figure}`, unit, span.fromMs, value]];
        }),
      );
    }
  }
  for (const { source, name, unit, points } of gauges) {
    yield stringify(points.map(({ atMs, value }): Row => [source, '', name, unit, atMs, value]));
  }
  for (const { source, process: of = '', name, unit, points } of observations) {
    yield stringify(points.map(({ atMs, value }): Row => [source, of, name, unit, atMs, value]));
  }
}
