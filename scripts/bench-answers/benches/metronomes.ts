import { pairOf } from '../../../src/measure/statement.js';
import { contains, isApart } from '../answers.js';
import { type AnswerBench, atMostShare, repeatsOf, shareFinding } from '../bench.js';
import { besideBurners, stolenInWords } from '../processes/burner.js';
import { compared, comparedLine, entryOf } from '../processes/compared.js';
import { recordedRounds } from '../processes/known-run.js';
import { withServers } from '../processes/servers.js';
import { usualUs } from '../product.js';

const times = { full: 20, quick: 1 };
const withinMs = 180_000;
const load = { full: ['--subscribers', '50'], quick: ['--subscribers', '7', '--starts', '3', '--rounds', '12'] };
const burnedShare = 0.3;
const ordered = { ten: 'constant:10ms', eleven: 'constant:11ms' };

const missed = atMostShare('metronomes at 10 and 11 ms: truth outside the 95 % interval', 0.05);
const open = atMostShare('metronomes at 10 and 11 ms: not told apart', 0.4);

/**
 * Compares two metronomes of known truth, alone and beside a process that burns a part of a core. The truth is the
 * ratio of their median times by their own record, from the read of a publish to the write. The time to a metronome and
 * back is the same for both. It is part of both figures of the comparison, which moves its ratio towards 1.
 */
export const metronomes: AnswerBench = {
  name: 'metronomes',
  bounds: [missed, open],
  async run(context) {
    const repeats = [];
    for (let repeat = 0; repeat < repeatsOf(context, times); repeat++) {
      const isAlone = repeat % 2 === 0;
      const one = await besideBurners(isAlone ? [] : [burnedShare], context.signal, () => measure(context));
      context.say(`${comparedLine(one)}; truth ${one.truth.toFixed(4)} ${isAlone ? 'alone' : 'beside a burner'}`);
      context.note({ bench: 'metronomes', isAlone, truth: one.truth, recordUs: one.recordUs, ...entryOf(one) });
      repeats.push(one);
    }
    const truths = repeats.map(({ truth }) => truth);
    const ratios = repeats.flatMap(({ paired }) => (paired && pairOf(paired.pairs, 'eleven', 'ten')?.ratio) ?? []);
    const range = (values: readonly number[]): string =>
      values.length === 0 ? 'none' : `${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)}`;
    return [
      shareFinding(
        missed,
        repeats,
        ({ paired, truth }) => !paired || !contains(paired, 'eleven', 'ten', truth),
        `truth by the record ${range(truths)}, said ${range(ratios)}`,
      ),
      shareFinding(
        open,
        repeats,
        ({ paired }) => !paired || !isApart(paired, 'eleven', 'ten'),
        stolenInWords(repeats.map(({ machine }) => machine)),
      ),
    ];
  },
};

function measure(context: Parameters<AnswerBench['run']>[0]) {
  const orders = Object.entries(ordered).map(([label, delay]) => ({ label, target: 'metronome', options: { delay } }));
  return withServers(orders, async (file, servers) => {
    const flags = ['--target-file', file, ...load[context.isQuick ? 'quick' : 'full']];
    const one = await compared(['compare', 'latency', ...flags], context, withinMs);
    const [ten = [], eleven = []] = await recordedRounds(servers, one);
    const recordUs = { ten: usualUs(ten), eleven: usualUs(eleven) };
    return { ...one, recordUs, truth: recordUs.eleven / recordUs.ten };
  });
}
