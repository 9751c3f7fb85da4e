import { availableParallelism } from 'node:os';
import { max, min } from 'simple-statistics';
import { blockOf, blocksOf, nearEdge } from '../../../src/measure/samples/blocks.js';
import type { ComparisonRow } from '../../../src/results/comparison.js';
import { readSamples } from '../../../src/results/store.js';
import type { Plan } from '../../../src/run/plan/plan.js';
import { fleetOptions } from '../../../src/run/plan/run-options.js';
import { type RunOutcome, run } from '../../../src/run/run.js';
import { ShardClient } from '../../../src/run/shards/shard-client.js';
import { scenarios } from '../../../src/scenarios/list.js';
import { loadOptions } from '../../../src/scenarios/load-options.js';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { type BenchContext, type Bound, type Finding, repeated } from '../judge.js';
import { besideBurners, pin } from '../processes/machine.js';
import { withBenchRunner, withTarget } from '../processes/places.js';
import { outsideBy, owedMedian } from './product.js';
import { writtenByBroadcastUs, writtenSinceSentUs } from './servers.js';

const latency = scenarios.find(({ name }) => name === 'latency')!;

/** Describes one run against a metronome and its processes. */
export interface KnownRun {
  metronome: RunningTarget;
  /** Process id of the bench-runner. */
  rigPid: number;
  /** Makes the run. It calls `publishing` when the publishes begin. */
  measure(options: Readonly<Record<string, unknown>>, publishing?: () => void): Promise<RunOutcome>;
}

/** Runs `work` with a bench-runner and a metronome. The metronome outlives its runs, so that its record can be read. */
export function withKnownTruth<T>(
  delay: string,
  context: BenchContext,
  work: (known: KnownRun) => Promise<T>,
): Promise<T> {
  const beside = (metronome: RunningTarget): Promise<T> =>
    withBenchRunner(context.signal, ({ url, pid }) => {
      const measure: KnownRun['measure'] = (options, publishing = () => undefined) =>
        run(planOf(metronome, options, context), {
          shards: [new ShardClient(url, undefined)],
          childDescriptors: null,
          interrupt: context.signal,
          notKept: ({ message }) => context.say(message),
          progress: ({ stage }) => {
            if (stage === 'publish') publishing();
          },
        });
      return work({ metronome, rigPid: pid, measure });
    });
  return withTarget(beside, 'metronome', { options: { delay } });
}

function planOf(
  { endpoints: { wsUrl, publishUrl, statsUrl }, target: { name, protocol } }: RunningTarget,
  options: Readonly<Record<string, unknown>>,
  { directory }: BenchContext,
): Plan {
  return {
    scenario: latency,
    options: latency.options.parse(options),
    load: loadOptions.parse({ workers: 1 }),
    fleet: { ...fleetOptions.parse({}), resultsDir: directory, seed: 1 },
    target: { isOurs: false, name, protocol, protocolOptions: {}, wsUrl, publishUrl, statsUrl, publishHeaders: {} },
    thresholds: [],
    sources: {},
  };
}

/**
 * Returns the record of each metronome of a comparison by server, start and round. Each value is the median of its
 * deliveries in microseconds, from the read of the publish to the write. A server without runs has an empty list.
 */
export function recordedRounds(
  servers: readonly RunningTarget[],
  rows: readonly ComparisonRow[],
): Promise<number[][][]> {
  return Promise.all(
    servers.map((server, place) => Promise.all(rows[place]?.runs.map((run) => roundsOf(server, run)) ?? [])),
  );
}

async function roundsOf(server: RunningTarget, { result: { job } }: ComparisonRow['runs'][number]): Promise<number[]> {
  const { warmUp, broadcasts, clients } = job.options;
  const written = await writtenByBroadcastUs(server, job.stream, Number(warmUp));
  return Array.from({ length: Number(broadcasts) }, (_, round) => owedMedian(written[round] ?? [], Number(clients)));
}

const times = { full: 3, quick: 1 };
const competitors = [1, 1];
/** Ends and truths are whole microseconds. Each is rounded down, the truth twice. */
const roundingUs = 3;
/** Up to 256 broadcasts, each has a block of its own. */
const load = { clients: 101, ratePerSecond: 20, warmUp: 10 };
const rigCore = 0;

/** Checks that brackets contain the metronome's truth, on a rig that shares its core with two burners. */
export async function brackets({ outside }: Record<'outside', Bound>, context: BenchContext): Promise<Finding[]> {
  const options = { ...load, broadcasts: context.isQuick ? 50 : 250 };
  const repeats = await repeated(context, times, async () => {
    const found = await withKnownTruth('constant:10ms', context, async ({ metronome, rigPid, measure }) => {
      if (availableParallelism() > 1) for (const pid of metronome.pids) pin(pid, rigCore + 1);
      pin(rigPid, rigCore);
      return besideBurners(competitors, context.signal, async (burners) => {
        for (const burner of burners) pin(burner, rigCore);
        return outsideOf(await measure(options), metronome);
      });
    });
    const { misses, widestUs, overall } = found;
    const words = wordsOf(misses);
    context.say(`  ${words.wrong} of ${misses.length} outside; widest bracket ${(widestUs / 1000).toFixed(1)} ms`);
    context.note({ bench: 'bracket', ...words, widestUs: Math.round(widestUs), overall });
    return found;
  });
  const all = repeats.flatMap(({ misses }) => misses);
  const { wrong, belowUs, aboveUs } = wordsOf(all);
  const widestMs = Math.max(...repeats.map(({ widestUs }) => widestUs)) / 1000;
  const overall = repeats.reduce((sum, each) => sum + each.overall, 0);
  const far = `at most ${belowUs} us below and ${aboveUs} us above`;
  const counts = `by broadcast ${wrong} of ${all.length}, ${far}; over the run ${overall}`;
  const detail = `${counts}; widest bracket ${widestMs.toFixed(1)} ms`;
  return [{ bound: outside, value: Math.max(wrong, overall) / all.length, detail }];
}

function wordsOf(misses: readonly number[]) {
  const wrong = misses.filter((by) => by !== 0).length;
  const [belowUs, aboveUs] = [Math.round(-min([0, ...misses])), Math.round(max([0, ...misses]))];
  return { deliveries: misses.length, wrong, belowUs, aboveUs };
}

/**
 * Returns how far each truth is outside its bracket, in microseconds, and the widest bracket. Within a broadcast, ends
 * and truths belong together by rank. Results keep the ends in bins 1.6 % wide, so a truth is outside only beyond the
 * whole bin. The samples of the whole run are exact, but their ranks can join different broadcasts.
 */
async function outsideOf({ result, directory, series }: RunOutcome, metronome: RunningTarget) {
  const sentAtUs = series.sentAtUs ?? new Uint32Array(0);
  const truths = await writtenSinceSentUs(metronome, load.warmUp, sentAtUs);
  const misses: number[] = [];
  let widestUs = 0;
  for (const [unit, truth] of truths.entries()) {
    const ends = (metric: string, edge: 0 | 1): number[] => {
      const counts = blockOf(series[blocksOf(metric)]!, unit, sentAtUs.length)!;
      return [...counts].flatMap((count, bin) => new Array<number>(count).fill(nearEdge(bin + edge)));
    };
    const [least, most] = [ends('deliveryAtLeast', 0), ends('delivery', 1)];
    misses.push(...outsideBy({ least, truth, most }));
    widestUs = Math.max(widestUs, ...most.map((high, rank) => high - least[rank]!));
  }
  const exactly = async (metric: string) => {
    const samples = await readSamples(directory, result, metric);
    return samples.kind === 'raw' ? [...samples.values] : [];
  };
  const [least, most] = [await exactly('deliveryAtLeast'), await exactly('delivery')];
  const overall = outsideBy({ least, truth: truths.flat(), most }).filter((by) => Math.abs(by) > roundingUs);
  return { misses, widestUs, overall: overall.length };
}
