import type { JsHistogram } from 'hdr-histogram-js';
import type { RunResult } from '../../contract/result.js';
import { createHistogram, encodeHistogram, recordSorted } from '../../measure/histogram.js';
import type { Samples } from '../../measure/samples.js';
import type { Source } from './formats.js';

type OneMetric = Pick<Source<RunResult>, 'metrics' | 'samples'>;

/** Lines for each halving of what lies beyond: what HdrHistogram's own tools write. */
const ticksPerHalfDistance = 5;

/** The percentile distribution as HdrHistogram writes it: value in microseconds, percentile, count up to it, and 1 / (1 - percentile). */
export async function* hgrm({ metrics, samples }: OneMetric): AsyncGenerator<string> {
  for (const metric of metrics) {
    yield histogramOf(await samples(metric)).outputPercentileDistribution(ticksPerHalfDistance, 1);
  }
}

/** The histogram as HdrHistogram's V2 compressed encoding in base64, which its ports in every language read. */
export async function* histogramBase64({ metrics, samples }: OneMetric): AsyncGenerator<string> {
  for (const metric of metrics) {
    yield `${Buffer.from(encodeHistogram(histogramOf(await samples(metric)))).toString('base64')}\n`;
  }
}

function histogramOf(samples: Samples): JsHistogram {
  if (samples.kind === 'histogram') return samples.histogram;
  const histogram = createHistogram();
  recordSorted(histogram, samples.values);
  return histogram;
}
