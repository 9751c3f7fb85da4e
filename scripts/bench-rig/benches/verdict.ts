import { milliseconds } from '../../../src/render/words/values.js';
import { leastByMarks } from '../../../src/results/figures.js';
import { countText } from '../../../src/units/text.js';
import { secondsOf, starvedRig } from '../../lying-rig/report.js';
import { latencyRun } from '../../script/run-script.js';
import type { Bench, BenchContext, Finding } from '../bench.js';

const runs = { full: 10, quick: 2 };
const starvedLoad = { target: 'uws', subscribers: 10_000, broadcasts: 10 };

const percent = (share: number): string => `${(share * 100).toFixed(0)} % of the runs`;
/** No rig can measure this load. */
const starved = {
  bound: { what: `p99 not marked: ${countText(10_000)} library clients on one loop`, atMost: 0, print: percent },
  expected: 'marked',
  flags: starvedRig(starvedLoad),
  seconds: secondsOf(starvedLoad),
};
/** The long delay keeps a stall of the machine out of the p99. 500 broadcasts are enough for a p99 of `publishLag`. */
const comfortable = {
  bound: { what: 'p99 marked: 1,000 wire clients, known delays', atMost: 0.1, print: percent },
  expected: 'clean',
  flags: [
    '--target metronome --target-option delay=uniform:5ms,50ms --client wire --local-shards 1 --seed 1',
    '--subscribers 1000 --broadcasts 500 --rate 10/s --warm-up 10 --ramp-rate 500/s',
  ].flatMap((flags) => flags.split(' ')),
  seconds: 58,
};
/** Holds loads with a known verdict. The bound is the share of runs with a different verdict. */
const shapes = [starved, comfortable];

/** Counts how often the verdict finds a starved rig and accepts a comfortable one. */
export const verdictBench: Bench = {
  name: 'verdict',
  isOnRequest: true,
  bounds: shapes.map(({ bound }) => bound),
  async run(context) {
    const wrong = new Map(shapes.map((shape) => [shape, [] as string[]]));
    const total = context.isQuick ? runs.quick : runs.full;
    for (let run = 0; run < total; run++) {
      // The order A B A B exposes both shapes to changes of the machine.
      for (const [shape, rules] of wrong) rules.push(...(await wrongIn(shape, context)));
    }
    return [...wrong].map(([{ bound }, rules]): Finding => {
      const detail = `of ${total}${rules.length > 0 ? `: ${rules.join('; ')}` : ''}`;
      return { bound, value: rules.length / total, detail };
    });
  },
};

/** Makes one run. If its p99 is not judged as expected, it returns the rules that applied. */
async function wrongIn(
  { flags, expected, seconds }: (typeof shapes)[number],
  { signal, say }: BenchContext,
): Promise<string[]> {
  const { result, directory } = await latencyRun(flags, signal, seconds * 2000 + 60_000);
  const { rig, evidence, doubts = [] } = result.verdict;
  const isMarked = leastByMarks(result.verdict, 'delivery', 'p99') !== undefined;
  const said = rig === 'clean' && isMarked ? 'marked' : rig;
  const rules = [said, ...new Set([...evidence, ...doubts].map(({ rule }) => rule))].join(', ');
  say(`  expected ${expected}: ${rules}; p99 ${milliseconds(result.metrics.delivery?.p99)} ms, kept in ${directory}`);
  return said === expected ? [] : [rules];
}
