import { availableParallelism } from 'node:os';
import { max, min } from 'simple-statistics';
import { blockOf, blocksOf, nearEdge } from '../../../src/measure/samples/blocks.js';
import { readSamples } from '../../../src/results/store.js';
import type { RunOutcome } from '../../../src/run/conclude.js';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { outsideBy } from '../answers.js';
import { type AnswerBench, atMostShare, repeatsOf } from '../bench.js';
import { besideBurners, pin } from '../processes/burner.js';
import { withKnownTruth } from '../processes/known-run.js';
import { writtenSinceSentUs } from '../processes/servers.js';

const times = { full: 3, quick: 1 };
const competitors = [1, 1];
/** Ends and truths are whole microseconds. Each is rounded down, the truth twice. */
const roundingUs = 3;
/** Up to 256 broadcasts, each has a block of its own. */
const load = { subscribers: 101, ratePerSecond: 20, warmUp: 10 };
const broadcasts = { full: 250, quick: 50 };
const rigCore = 0;

const outside = atMostShare('deliveries whose truth is outside the bracket, beside two competitors', 0.001);

/**
 * Checks the bracket of each delivery on a rig that shares its core with two burners. It must contain the metronome's
 * truth.
 */
export const bracket: AnswerBench = {
  name: 'bracket',
  bounds: [outside],
  async run(context) {
    const options = { ...load, broadcasts: broadcasts[context.isQuick ? 'quick' : 'full'] };
    const repeats: Awaited<ReturnType<typeof outsideOf>>[] = [];
    for (let repeat = 0; repeat < repeatsOf(context, times); repeat++) {
      await withKnownTruth('constant:10ms', context, async ({ metronome, rigPid, measure }) => {
        if (availableParallelism() > 1) for (const pid of metronome.pids) pin(pid, rigCore + 1);
        pin(rigPid, rigCore);
        await besideBurners(competitors, context.signal, async (burners) => {
          for (const burner of burners) pin(burner, rigCore);
          repeats.push(await outsideOf(await measure(options), metronome));
        });
      });
      const { misses, widestUs, overall } = repeats.at(-1)!;
      const words = wordsOf(misses);
      context.say(`  ${words.wrong} of ${misses.length} outside; widest bracket ${(widestUs / 1000).toFixed(1)} ms`);
      context.note({ bench: 'bracket', ...words, widestUs: Math.round(widestUs), overall });
    }
    const all = repeats.flatMap(({ misses }) => misses);
    const { wrong, belowUs, aboveUs } = wordsOf(all);
    const widestMs = Math.max(...repeats.map(({ widestUs }) => widestUs)) / 1000;
    const far = `at most ${belowUs} us below and ${aboveUs} us above`;
    const overall = repeats.reduce((sum, each) => sum + each.overall, 0);
    const counts = `by broadcast ${wrong} of ${all.length}, ${far}; over the run ${overall}`;
    const detail = `${counts}; widest bracket ${widestMs.toFixed(1)} ms`;
    return [{ bound: outside, value: Math.max(wrong, overall) / all.length, detail }];
  },
};

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
