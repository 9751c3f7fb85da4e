import { stringify } from 'csv-stringify/sync';
import { coursesOf } from '../../results/courses.js';
import type { RunResult } from '../../results/result.js';
import type { Source } from './source.js';

const head = ['source', 'process', 'name', 'unit', 'atMs', 'edge', 'clock', 'value'];

/**
 * Everything over time, a row for each point, with `atMs` on the axis of the observations. `edge` is the end of its
 * span at which a point stands: `start` or `end`. `clock` is `foreign` if another host stamped it.
 */
export function* timelineCsv({ kept }: Pick<Source<RunResult>, 'kept'>): Generator<string> {
  yield stringify([head]);
  for (const { source, process, name, unit, edge, clock, points } of coursesOf(kept.environment)) {
    const known = points.filter(({ value }) => value !== null);
    yield stringify(known.map(({ atMs, value }) => [source, process, name, unit, atMs, edge, clock, value]));
  }
}
