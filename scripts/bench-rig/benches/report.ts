import { statSync } from 'node:fs';
import { join } from 'node:path';
import { summarize } from '../../../src/measure/samples/distribution.js';
import type { Samples } from '../../../src/measure/samples/samples.js';
import { ResultStore } from '../../../src/results/store.js';
import { goldenResult } from '../../../test/golden-result.js';
import { type Bench, type Bound, printers } from '../bench.js';
import { CliProcess } from '../processes/cli-process.js';
import { logNormalLatencies } from '../processes/collected.js';
import { withDirectory } from '../processes/places.js';

const samplesPerMetric = { full: 5_000_000, quick: 500_000 };
/** Every delivery is a sample of all three metrics. */
const metrics = ['delivery', 'deliveryFromIntended', 'deliveryAtLeast'];
const withinMs = 60_000;

const time: Bound = { what: 'the report of a run of 5,000,000 samples', atMost: 5000, print: printers.seconds };
const size: Bound = { what: 'its page', atMost: 3e6, print: printers.megabytes };

/** Measures the wall time of `ringside report` for a run of 5 million deliveries, and the size of the page. */
export const report: Bench = {
  name: 'report',
  bounds: [time, size],
  async run({ isQuick, signal }) {
    const count = isQuick ? samplesPerMetric.quick : samplesPerMetric.full;
    return withDirectory(async (directory) => {
      await keepRun(directory, count);
      const page = join(directory, 'page.html');
      const made = await new CliProcess(['report', directory, '--html', page], signal, withinMs).ended;
      if (made.exitCode !== 0) throw new Error(`report ended with exit code ${made.exitCode}: ${made.stderr}`);
      const detail = `${metrics.length} metrics of ${count.toLocaleString('en-US')} samples`;
      return [
        { bound: time, value: made.elapsedMs, detail },
        { bound: size, value: statSync(page).size, detail: '' },
      ];
    });
  },
};

async function keepRun(directory: string, count: number): Promise<void> {
  const golden = goldenResult();
  const distributions = metrics.map((metric, seed): [string, Samples] => [
    metric,
    { kind: 'raw', values: logNormalLatencies(count, seed) },
  ]);
  const summaries = distributions.map(([metric, samples]) => [metric, { ...summarize(samples), intervals: {} }]);
  const files = metrics.map((metric) => [metric, { file: `samples/${metric}.bin`, kind: 'raw' as const, count }]);
  const result = {
    ...golden,
    metrics: { ...golden.metrics, ...Object.fromEntries(summaries) },
    samples: Object.fromEntries(files),
  };
  const store = new ResultStore(({ message }) => {
    throw new Error(message);
  });
  await store.keepRun(directory, result, { samples: Object.fromEntries(distributions) });
}
