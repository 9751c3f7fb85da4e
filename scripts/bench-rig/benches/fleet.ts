import { milliseconds } from '../../../src/render/words/values.js';
import type { RunResult } from '../../../src/results/result.js';
import { countText } from '../../../src/units/text.js';
import type { Bench, Bound } from '../bench.js';
import { CliProcess, resultIn } from '../processes/cli-process.js';
import { withDirectory } from '../processes/places.js';

const subscribers = 10_000;
const withinMs = 240_000;

const sums: Bound = {
  what: `broken sums in the ledger of ${countText(subscribers)} subscribers over 2 shards`,
  atMost: 0,
  print: countText,
};

/**
 * Makes a whole run with 10,000 subscribers on two bench-runners of this machine. Its ledger must add up without a
 * loss.
 */
export const fleet: Bench = {
  name: 'fleet',
  bounds: [sums],
  run: ({ signal, isQuick }) =>
    withDirectory(async (directory) => {
      const broadcasts = isQuick ? 20 : 100;
      const audience = `--subscribers ${subscribers} --ramp-rate 2000/s --local-shards 2`;
      const publishing = `--broadcasts ${broadcasts} --rate 2/s`;
      const job = ['--target', 'uws', ...audience.split(' '), ...publishing.split(' ')];
      const args = ['run', 'latency', ...job, '--json', '--results', directory];
      const ended = await new CliProcess(args, signal, withinMs).ended;
      const result = resultIn(ended);
      const { delivery } = result.metrics;
      const latency = `p50 ${milliseconds(delivery?.p50)} ms, p99 ${milliseconds(delivery?.p99)} ms`;
      return [
        { bound: sums, value: brokenSums(result, broadcasts), detail: JSON.stringify(result.ledger) },
        { what: '  the run', measured: `${(ended.elapsedMs / 1000).toFixed(1)} s`, detail: verdictIn(result) },
        { what: '  delivery', measured: `${countText(delivery?.count ?? 0)} timed`, detail: latency },
      ];
    }),
};

/** Counts the wrong sums of a run that should have no loss. A missing count breaks its sum. */
export function brokenSums({ ledger }: Pick<RunResult, 'ledger'>, broadcasts: number): number {
  const { attempted = Number.NaN, acked, refused, failed, expected = Number.NaN, delivered, lost } = ledger;
  const pairs = [
    [attempted, broadcasts],
    [attempted, Number(acked) + Number(refused) + Number(failed)],
    [expected, Number(acked) * subscribers],
    [expected, Number(delivered) + Number(lost)],
    [lost, 0],
  ];
  return pairs.filter(([left, right]) => left !== right).length;
}

function verdictIn({ verdict, stop }: RunResult): string {
  const rules = verdict.evidence.map(({ rule }) => rule);
  return [`stop ${stop.code}, verdict ${verdict.rig}`, ...rules].join(', ');
}
