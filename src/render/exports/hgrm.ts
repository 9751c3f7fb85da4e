import type { JsHistogram } from 'hdr-histogram-js';
import { minSamplesBeyond } from '../../measure/samples/distribution.js';
import { createHistogram, encodeHistogram, recordSorted, recordTally } from '../../measure/samples/histogram.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { OneByOne } from './source.js';

/** Lines for each halving of the rest, as HdrHistogram's own tools write them. */
const ticksPerHalfDistance = 5;

/** HdrHistogram's percentile text, in microseconds: both ends, and the percentiles that the samples carry. */
export async function* hgrm({ metrics, samples, independent }: OneByOne): AsyncGenerator<string> {
  for (const metric of metrics) {
    const histogram = histogramOf(await samples(metric));
    const lines = histogram.outputPercentileDistribution(ticksPerHalfDistance, 1).split('\n');
    yield lines.filter((line) => isCarried(line, independent(metric) ?? histogram.totalCount)).join('\n');
  }
}

/** Percentiles have twelve digits, and 50 × (1 − 0.9) is less than five. */
const rounding = 0.001;

/** Whether enough independent samples lie beyond the percentile of a line; other lines stay. */
function isCarried(line: string, count: number): boolean {
  const [, share = Number.NaN, upTo] = line.trim().split(/\s+/).map(Number);
  if (Number.isNaN(share) || upTo === undefined || Number.isNaN(upTo)) return true;
  return share === 0 || share === 1 || count * (1 - share) > minSamplesBeyond - rounding;
}

/** The histogram in HdrHistogram's V2 compressed encoding, as base64. */
export async function* histogramBase64({ metrics, samples }: OneByOne): AsyncGenerator<string> {
  for (const metric of metrics) {
    yield `${Buffer.from(encodeHistogram(histogramOf(await samples(metric)))).toString('base64')}\n`;
  }
}

function histogramOf(samples: Samples): JsHistogram {
  if (samples.kind === 'histogram') return samples.histogram;
  const histogram = createHistogram();
  if (samples.kind === 'raw') recordSorted(histogram, samples.values);
  else recordTally(histogram, samples.tally);
  return histogram;
}
