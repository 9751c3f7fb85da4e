import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { max, min } from 'simple-statistics';
import { summarize } from '../../../src/measure/samples/distribution.js';
import type { Samples } from '../../../src/measure/samples/samples.js';
import { milliseconds } from '../../../src/render/words/values.js';
import { leastByBounds } from '../../../src/results/figures.js';
import type { RunResult } from '../../../src/results/result.js';
import { ResultStore } from '../../../src/results/store.js';
import { countText } from '../../../src/units/text.js';
import { logNormalLatencies } from '../../../test/doubles/simulated-fleet.js';
import { goldenResult } from '../../../test/golden-result.js';
import type { BenchContext, Bound, Finding } from '../judge.js';
import { secondsOf, starvedRig } from '../lying-rig.js';
import type { MeasuredCommands } from '../processes/measured-child.js';
import { withDirectory } from '../processes/places.js';
import { cpuSecondsOf, MeasuredProcess, resultIn, ringside } from '../processes/program.js';
import { inRounds } from '../rounds.js';
import { latencyRun } from '../script.js';

/** Measures the wall time from the start of `ringside --help` to its end. */
export async function help({ time }: Record<'time', Bound>, { signal }: BenchContext): Promise<Finding[]> {
  const times: number[] = [];
  while (times.length < 5) {
    const { exitCode, stdout, elapsedMs } = await ringside(['--help'], signal, 10_000).ended;
    if (exitCode !== 0 || !stdout.startsWith('Usage')) throw new Error(`--help ended with exit code ${exitCode}`);
    times.push(elapsedMs);
  }
  return [{ bound: time, value: min(times), detail: `slowest ${Math.round(max(times))} ms` }];
}

/** Measures the CPU of the driver alone while it waits for its shards, in the publish stage of a real run. */
export function driverIdle({ cpu }: Record<'cpu', Bound>, { signal, isQuick }: BenchContext): Promise<Finding[]> {
  // Lets the garbage collector and compiler finish the start-up.
  const [settleMs, windowMs, ratePerSecond] = [1000, isQuick ? 5000 : 15_000, 5];
  return withDirectory(async (directory) => {
    const broadcasts = Math.ceil(((settleMs + windowMs) / 1000 + 2) * ratePerSecond);
    const job = `--target uws --clients 7 --broadcasts ${broadcasts} --rate ${ratePerSecond}/s`;
    const driver = ringside(['run', 'latency', ...job.split(' '), '--json', '--results', directory], signal, 90_000);
    try {
      await driver.saw(/\bpublished [1-9]/);
      await delay(settleMs, undefined, { signal });
      const [startMs, startSeconds] = [performance.now(), cpuSecondsOf(driver.pid)];
      await delay(windowMs, undefined, { signal });
      const seconds = cpuSecondsOf(driver.pid) - startSeconds;
      const cores = (seconds * 1000) / (performance.now() - startMs);
      const { exitCode, stderr } = await driver.ended;
      if (exitCode !== 0 && exitCode !== 4) throw new Error(`the run ended with exit code ${exitCode}: ${stderr}`);
      return [{ bound: cpu, value: cores, detail: `7 subscribers, over ${windowMs / 1000} s` }];
    } finally {
      await driver.stop();
    }
  });
}

const subscribers = 10_000;

/** Makes a whole run with 10,000 subscribers on two bench-runners. Its ledger must add up without a loss. */
export function fleet({ sums }: Record<'sums', Bound>, { signal, isQuick }: BenchContext): Promise<Finding[]> {
  return withDirectory(async (directory) => {
    const broadcasts = isQuick ? 20 : 100;
    const audience = `--target uws --clients ${subscribers} --ramp-rate 2000/s --local-shards 2`;
    const job = `${audience} --broadcasts ${broadcasts} --rate 2/s`.split(' ');
    const ended = await ringside(['run', 'latency', ...job, '--json', '--results', directory], signal, 240_000).ended;
    const result = resultIn(ended);
    const { metrics, verdict, stop, ledger } = result;
    const rules = verdict.evidence.map(({ rule }) => rule);
    const judged = [`stop ${stop.code}, verdict ${verdict.rig}`, ...rules].join(', ');
    const latency = `p50 ${milliseconds(metrics.delivery?.p50)} ms, p99 ${milliseconds(metrics.delivery?.p99)} ms`;
    return [
      { bound: sums, value: brokenSums(result, broadcasts), detail: JSON.stringify(ledger) },
      { what: '  the run', measured: `${(ended.elapsedMs / 1000).toFixed(1)} s`, detail: judged },
      { what: '  delivery', measured: `${countText(metrics.delivery?.count ?? 0)} timed`, detail: latency },
    ];
  });
}

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

/** Measures the wall time of `ringside report` for a run of 5 million deliveries, and the size of the page. */
export function report(
  { time, size }: Record<'time' | 'size', Bound>,
  { isQuick, signal }: BenchContext,
): Promise<Finding[]> {
  const count = isQuick ? 500_000 : 5_000_000;
  return withDirectory(async (directory) => {
    await keepRun(directory, count);
    const page = join(directory, 'page.html');
    const made = await ringside(['report', directory, '--html', page], signal, 60_000).ended;
    if (made.exitCode !== 0) throw new Error(`report ended with exit code ${made.exitCode}: ${made.stderr}`);
    const detail = `${reported.length} metrics of ${countText(count)} samples`;
    return [
      { bound: time, value: made.elapsedMs, detail },
      { bound: size, value: statSync(page).size, detail: '' },
    ];
  });
}

/** Every delivery is a sample of all three metrics. */
const reported = ['delivery', 'deliveryFromIntended', 'deliveryAtLeast'];

async function keepRun(directory: string, count: number): Promise<void> {
  const golden = goldenResult();
  const distributions = reported.map((metric, seed): [string, Samples] => [
    metric,
    { kind: 'raw', values: logNormalLatencies(count, seed) },
  ]);
  const summaries = distributions.map(([metric, samples]) => [metric, { ...summarize(samples), intervals: {} }]);
  const files = reported.map((metric) => [metric, { file: `samples/${metric}.bin`, kind: 'raw' as const, count }]);
  const metrics = { ...golden.metrics, ...Object.fromEntries(summaries) };
  const store = new ResultStore(({ message }) => {
    throw new Error(message);
  });
  const result = { ...golden, metrics, samples: Object.fromEntries(files) };
  await store.keepRun(directory, result, { samples: Object.fromEntries(distributions) });
}

/** Measures the end of a large run in the driver: it merges 50 million samples from 50 bodies. */
export function merge(
  { time, peak, size }: Record<'time' | 'peak' | 'size', Bound>,
  { signal }: BenchContext,
): Promise<Finding[]> {
  const [bodies, samples] = [50, 1_000_000];
  const ask = async <T>(work: (child: MeasuredProcess<MeasuredCommands>) => Promise<T>): Promise<T> => {
    const child = new MeasuredProcess<MeasuredCommands>(signal);
    return work(child).finally(() => child.stop());
  };
  return withDirectory(async (directory) => {
    // Another process makes the bodies, so that its garbage does not count.
    const largest = await ask(async (child) => {
      await child.ask('writeBodies', { directory, bodies, samples });
      return child.ask('largestBody', 1_200_000);
    });
    const cost = await ask((child) => child.ask('mergeBodies', directory));
    if (cost.samples !== bodies * samples) throw new Error(`${cost.samples} samples came out of the merge`);
    return [
      { bound: time, value: cost.elapsedMs, detail: 'log-normal latencies, different in each body' },
      { bound: peak, value: cost.peakRssBytes, detail: '' },
      { bound: size, value: largest, detail: 'spread over 71 minutes' },
    ];
  });
}

const starvedLoad = { target: 'uws', clients: 10_000, broadcasts: 10 };

/** Holds loads with a known verdict. No rig can measure the starved one. */
const shapes = {
  starved: { expected: 'bounded', flags: starvedRig(starvedLoad), seconds: secondsOf(starvedLoad) },
  // The long delay keeps a stall of the machine out of the p99. 500 broadcasts are enough for a p99 of `publishLag`.
  comfortable: {
    expected: 'clean',
    flags: [
      '--target metronome --target-option delay=uniform:5ms,50ms --client wire --local-shards 1 --seed 1',
      '--clients 1000 --broadcasts 500 --rate 10/s --warm-up 10 --ramp-rate 500/s',
    ].flatMap((flags) => flags.split(' ')),
    seconds: 58,
  },
};

/** Counts how often the verdict misses a starved rig and marks a comfortable one. */
export async function knownVerdicts(
  bounds: Record<keyof typeof shapes, Bound>,
  { isQuick, signal, say }: BenchContext,
): Promise<Finding[]> {
  const sides = Object.keys(shapes) as (keyof typeof shapes)[];
  const judged = await inRounds(sides, isQuick ? 2 : 10, async (shape) => {
    const { expected, flags, seconds } = shapes[shape];
    const { result, directory } = await latencyRun(flags, signal, seconds * 2000 + 60_000);
    const { rig, evidence, bounds = [] } = result.verdict;
    const isMarked = leastByBounds(result.verdict, 'delivery', 'p99') !== undefined;
    const said = rig === 'clean' && isMarked ? 'bounded' : rig;
    const rules = [said, ...new Set([...evidence, ...bounds].map(({ rule }) => rule))].join(', ');
    say(`  expected ${expected}: ${rules}; p99 ${milliseconds(result.metrics.delivery?.p99)} ms, kept in ${directory}`);
    return said === expected ? [] : [rules];
  });
  return sides.map((shape) => {
    const wrong = judged[shape].flat();
    const total = judged[shape].length;
    const detail = `of ${total}${wrong.length > 0 ? `: ${wrong.join('; ')}` : ''}`;
    return { bound: bounds[shape], value: wrong.length / total, detail };
  });
}
