import type { JsHistogram } from 'hdr-histogram-js';
import { minSamplesBeyond } from '../../measure/samples/distribution.js';
import {
  createHistogram,
  encodeHistogram,
  maxSample,
  recordSorted,
  recordTally,
} from '../../measure/samples/histogram.js';
import type { Samples } from '../../measure/samples/samples.js';
import { count, shareOf } from '../../units/words.js';
import type { OneByOne } from './source.js';

/** Lines for each halving of the rest, as HdrHistogram's own tools write them. */
const ticksPerHalfDistance = 5;

/**
 * HdrHistogram's percentile text, in microseconds: both ends, and the percentiles that the samples carry. What never
 * came ranks behind all that did, and has no line.
 */
export async function* hgrm({ metrics, samples, independent, unfinished }: OneByOne): AsyncGenerator<string> {
  for (const metric of metrics) {
    const [lost, came] = [unfinished(metric), await samples(metric)];
    const histogram = histogramOf(came, lost);
    const { totalCount } = histogram;
    const lines = histogram.outputPercentileDistribution(ticksPerHalfDistance, 1).split('\n');
    const arrived = totalCount - lost;
    const carried = lines.filter((line) => isCarried(line, independent(metric) ?? totalCount, arrived));
    yield (lost === 0 ? carried : withoutTheLost(carried, lost, totalCount)).join('\n');
  }
}

/** The lines with what was lost in place of figures that it takes part in. */
function withoutTheLost(lines: readonly string[], lost: number, all: number): string[] {
  const [numbers, total] = [count(lost), count(all)];
  const said = [
    `#[Lost    = ${String(lost).padStart(12)}, Total count    = ${String(all).padStart(12)}]`,
    `#[${numbers} of ${total} never came and rank last: no line lies beyond ${shareOf(all - lost, all)} of all]`,
  ];
  return lines.flatMap((line) => {
    if (line.startsWith('#[Mean')) return said;
    return line.startsWith('#[Max') ? [] : [line];
  });
}

/** Percentiles have twelve digits, and 50 × (1 − 0.9) is less than five. */
const rounding = 0.001;

/** Whether its value came, and enough independent samples lie beyond the percentile of a line; other lines stay. */
function isCarried(line: string, independent: number, arrived: number): boolean {
  const [, share = Number.NaN, upTo] = line.trim().split(/\s+/).map(Number);
  if (Number.isNaN(share) || upTo === undefined || Number.isNaN(upTo)) return true;
  if (upTo > arrived) return false;
  return share === 0 || share === 1 || independent * (1 - share) > minSamplesBeyond - rounding;
}

/** The histogram in HdrHistogram's V2 compressed encoding, as base64. What never came has the largest value of all. */
export async function* histogramBase64({ metrics, samples, unfinished }: OneByOne): AsyncGenerator<string> {
  for (const metric of metrics) {
    const histogram = histogramOf(await samples(metric), unfinished(metric));
    yield `${Buffer.from(encodeHistogram(histogram)).toString('base64')}\n`;
  }
}

/** The samples with the lost ones behind all that came. */
function histogramOf(samples: Samples, lost: number): JsHistogram {
  const histogram = createHistogram();
  if (samples.kind === 'histogram') histogram.add(samples.histogram);
  else if (samples.kind === 'raw') recordSorted(histogram, samples.values);
  else recordTally(histogram, samples.tally);
  if (lost > 0) histogram.recordValueWithCount(maxSample, lost);
  return histogram;
}
