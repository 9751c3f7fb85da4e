import { stringify } from 'csv-stringify/sync';
import { eachValue, type Samples } from '../../measure/samples/samples.js';
import { coursesOf } from '../../results/over-time/courses.js';
import type { RunResult } from '../../results/result.js';
import type { OneByOne, Source } from './source.js';

const batchRows = 20_000;

/** `metric,us`: a row for each sample, sorted within its metric; of a histogram the far edge of its bucket. */
export async function* samplesCsv({ metrics, samples }: Pick<OneByOne, 'metrics' | 'samples'>): AsyncGenerator<string> {
  yield stringify([['metric', 'us']]);
  for (const metric of metrics) {
    let rows: [string, number][] = [];
    for (const us of eachSample(await samples(metric))) {
      rows.push([metric, us]);
      if (rows.length < batchRows) continue;
      yield stringify(rows);
      rows = [];
    }
    if (rows.length > 0) yield stringify(rows);
  }
}

function* eachSample(samples: Samples): Generator<number> {
  if (samples.kind === 'raw') {
    yield* samples.values;
    return;
  }
  const values: [us: number, times: number][] = [];
  eachValue(samples, (...value) => values.push(value));
  for (const [us, times] of values) for (let each = 0; each < times; each++) yield us;
}

const head = ['source', 'process', 'name', 'unit', 'atMs', 'edge', 'clock', 'value'];

/** Everything over time: `atMs` on the axis of the observations, at the `edge` of its span. */
export function* timelineCsv({ kept }: Pick<Source<RunResult>, 'kept'>): Generator<string> {
  yield stringify([head]);
  for (const { source, process, name, unit, edge, clock, points } of coursesOf(kept.environment)) {
    const known = points.filter(({ value }) => value !== null);
    yield stringify(known.map(({ atMs, value }) => [source, process, name, unit, atMs, edge, clock, value]));
  }
}
