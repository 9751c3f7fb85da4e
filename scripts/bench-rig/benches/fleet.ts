import { milliseconds } from '../../../src/render/words/figures.js';
import { type RunResult, runResult } from '../../../src/results/result.js';
import { count } from '../../../src/units/words.js';
import type { Bench } from '../bench.js';
import { brokenSums } from '../footing.js';
import { CliProcess } from '../processes/cli-process.js';
import { withDirectory } from '../processes/directory.js';

const subscribers = 10_000;
const withinMs = 240_000;

/** A whole run as a user starts it: 10,000 subscribers over two bench-runners of this machine. Its ledger must foot; its verdict is shown. */
export const fleet: Bench = {
  name: 'fleet',
  bounds: ['footing'],
  run: ({ signal, isQuick }) =>
    withDirectory(async (directory) => {
      const broadcasts = isQuick ? 20 : 100;
      const audience = `--subscribers ${subscribers} --ramp-rate 2000/s --local-shards 2`;
      const publishing = `--broadcasts ${broadcasts} --rate 2/s`;
      const job = ['--target', 'uws', ...audience.split(' '), ...publishing.split(' ')];
      const args = ['run', 'latency', ...job, '--json', '--results', directory];
      const { stdout, stderr, elapsedMs } = await new CliProcess(args, signal, withinMs).ended;
      if (stdout === '') throw new Error(`the run left no result: ${stderr}`);
      const result = runResult.parse(JSON.parse(stdout));
      const broken = brokenSums(result.ledger as Record<string, number>, { subscribers, broadcasts });
      const { attempted, expected, delivered } = result.ledger;
      return [
        {
          bound: 'footing',
          value: broken.length,
          detail: broken.join('; ') || `attempted ${attempted}, delivered ${delivered} of ${expected}`,
        },
        { what: '  the run', measured: `${(elapsedMs / 1000).toFixed(1)} s`, detail: verdictIn(result) },
        {
          what: '  delivery',
          measured: `${count(result.metrics.delivery?.count ?? 0)} timed`,
          detail: latencyIn(result),
        },
      ];
    }),
};

function verdictIn({ verdict, stop }: RunResult): string {
  const rules = verdict.evidence.map(({ rule }) => rule);
  return [`stop ${stop.code}, verdict ${verdict.rig}`, ...rules].join(', ');
}

function latencyIn({ metrics: { delivery } }: RunResult): string {
  return `p50 ${milliseconds(delivery?.p50)} ms, p99 ${milliseconds(delivery?.p99)} ms`;
}
