import fc from 'fast-check';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { percentile, percentiles, summarize } from '../../measure/samples/distribution.js';
import { createHistogram, maxSample, recordSorted } from '../../measure/samples/histogram.js';
import type { Samples } from '../../measure/samples/samples.js';
import { hgrm, histogramBase64 } from './hgrm.js';

async function textOf(write: typeof hgrm, samples: Samples, independent?: number, lost = 0): Promise<string> {
  let text = '';
  for await (const piece of write({
    metrics: ['delivery'],
    samples: async () => samples,
    independent: () => independent,
    unfinished: () => lost,
  }))
    text += piece;
  return text;
}

/** Reads the lines as every plotter does: value, percentile, count up to it. */
function linesOf(text: string): { us: number; share: number; upTo: number }[] {
  return text
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([us = Number.NaN, share = Number.NaN, upTo = Number.NaN]) => ({ us, share, upTo }));
}

/** One part in two thousand to either side: three digits. */
const resolution = 1e-3;
const sorted = (values: number[]): Samples => ({ kind: 'raw', values: Uint32Array.from(values).sort() });
const latencies = fc
  .array(fc.oneof(fc.nat(2000), fc.nat(10_000_000), fc.nat(0xffff_ffff)), { minLength: 1, maxLength: 2003 })
  .map(sorted);

describe('a percentile distribution', () => {
  it('is written as HdrHistogram writes it', async () => {
    const few = [211, 743, 743, 907, 907, 907, 1009, 1103, 2003, 41_011];
    expect(await textOf(hgrm, sorted(few))).toMatchInlineSnapshot(`
      "       Value     Percentile TotalCount 1/(1-Percentile)

           211.000 0.000000000000          1           1.00
           211.000 0.100000000000          1           1.11
           743.000 0.200000000000          3           1.25
           743.000 0.300000000000          3           1.43
           907.000 0.400000000000          6           1.67
           907.000 0.500000000000          6           2.00
         41023.000 1.000000000000         10
      #[Mean    =     4954.100, StdDeviation   =    12025.341]
      #[Max     =    41011.000, Total count    =           10]
      #[Buckets =           22, SubBuckets     =         2048]
      "
    `);
  });

  it('has none that its independent samples do not carry', async () => {
    const samples = sorted(Array.from({ length: 4000 }, (_, n) => 1000 + n));
    const [all, tenth] = [await textOf(hgrm, samples), await textOf(hgrm, samples, 400)].map(linesOf);
    expect(all?.map(({ share }) => share)).toContain(0.9984375);
    const shares = tenth?.slice(1, -1).map(({ share }) => share) ?? [];
    expect(Math.max(...shares)).toBe(0.9875);
  });

  it('has no percentile but its ends with fewer than five samples beyond', async () => {
    await fc.assert(
      fc.asyncProperty(latencies, async (samples) => {
        const count = (samples as { values: Uint32Array }).values.length;
        const lines = linesOf(await textOf(hgrm, samples));
        expect([lines[0]?.share, lines.at(-1)?.share]).toEqual([0, 1]);
        for (const { share } of lines.slice(1, -1)) expect(count * (1 - share)).toBeGreaterThan(4.99);
      }),
      { numRuns: 29 },
    );
    const shares = linesOf(await textOf(hgrm, sorted(Array.from({ length: 50 }, (_, n) => 211 + n))));
    expect(shares.at(-2)?.share).toBe(0.9);
  });

  it('read back says of each line what the samples say, within three digits', async () => {
    await fc.assert(
      fc.asyncProperty(latencies, async (samples) => {
        const values = (samples as { values: Uint32Array }).values;
        const lines = linesOf(await textOf(hgrm, samples));
        expect(lines.at(-1)?.upTo).toBe(values.length);
        for (const { us, upTo } of lines) {
          const truth = values[upTo - 1]!;
          expect(us).toBeGreaterThanOrEqual(truth);
          expect(us).toBeLessThanOrEqual(truth * (1 + resolution));
        }
      }),
      { numRuns: 29 },
    );
  });

  it('read back holds each percentile of the result between the two lines around it', async () => {
    await fc.assert(
      fc.asyncProperty(latencies, async (samples) => {
        const lines = linesOf(await textOf(hgrm, samples));
        for (const [name, share] of Object.entries(percentiles)) {
          const figure = summarize(samples)[name as keyof typeof percentiles];
          if (figure === null) continue;
          const above = lines.find((line) => line.share >= share)!;
          const below = lines.findLast((line) => line.share <= share) ?? lines[0]!;
          expect(figure).toBeLessThanOrEqual(above.us);
          expect(figure * (1 + resolution)).toBeGreaterThanOrEqual(below.us);
        }
      }),
      { numRuns: 29 },
    );
  });
});

describe('a percentile distribution with losses', () => {
  const came = sorted(Array.from({ length: 900 }, (_, n) => 1000 + n));

  it('ranks what was lost behind all that came, has no line for it, and says how much it is', async () => {
    const text = await textOf(hgrm, came, undefined, 100);
    const lines = linesOf(text);
    const { p50, p90, max, mean } = summarize(came, 'us', 100);
    const at = (share: number): number | undefined => lines.find((line) => line.share >= share)?.us;
    expect(at(0.5)).toBeGreaterThanOrEqual(p50!);
    expect(at(0.5)).toBeLessThanOrEqual(p50! * (1 + resolution));
    expect(at(0.9)).toBeLessThanOrEqual(p90! * (1 + resolution));
    expect(lines.at(-1)?.upTo).toBe(900);
    expect(lines.at(-1)?.share).toBeLessThanOrEqual(0.9);
    expect([max, mean]).toEqual([null, null]);
    const comments = text.split('\n').filter((line) => line.startsWith('#['));
    expect(comments.join()).toMatch(/Lost += {2,}100, Total count += {2,}1000\]/);
    expect(comments.filter((line) => /^#\[(Mean|Max)/.test(line))).toEqual([]);
  });

  it('in base64 gives each of them the largest value', async () => {
    const read = decodeFromCompressedBase64((await textOf(histogramBase64, came, undefined, 100)).trim());
    expect([read.totalCount, read.maxValue >= maxSample]).toEqual([1000, true]);
    expect(read.getValueAtPercentile(50)).toBeLessThanOrEqual(1500 * (1 + resolution));
    expect(read.getValueAtPercentile(91)).toBeGreaterThanOrEqual(maxSample);
  });
});

describe('a histogram in base64', () => {
  it('read back by HdrHistogram has every percentile of the samples, within three digits', async () => {
    await fc.assert(
      fc.asyncProperty(latencies, async (samples) => {
        const histogram = decodeFromCompressedBase64((await textOf(histogramBase64, samples)).trim());
        expect(histogram.totalCount).toBe((samples as { values: Uint32Array }).values.length);
        for (const share of [...Object.values(percentiles), 1]) {
          const truth = percentile(samples, share)!;
          const read = histogram.getValueAtPercentile(share * 100);
          expect(read).toBeGreaterThanOrEqual(truth);
          expect(read).toBeLessThanOrEqual(truth * (1 + resolution));
        }
      }),
      { numRuns: 29 },
    );
  });

  it('of samples that are kept as one is that one', async () => {
    const histogram = createHistogram();
    recordSorted(histogram, Uint32Array.of(3, 3, 1009));
    const text = await textOf(histogramBase64, { kind: 'histogram', histogram });
    expect(text).toMatch(/^HISTFAAA[\w+/=]+\n$/);
    const read = decodeFromCompressedBase64(text.trim());
    expect([read.totalCount, read.minNonZeroValue, read.maxValue]).toEqual([3, 3, 1009]);
  });
});
