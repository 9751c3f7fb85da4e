import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/units/package-files.js';
import { areInOrder } from '../answers.js';
import { type AnswerBench, atMostShare, repeatsOf, shareFinding } from '../bench.js';
import { stolenInWords } from '../processes/burner.js';
import { compared, comparedLine, entryOf } from '../processes/compared.js';

const order = ['uws', 'ws', 'socketio'];
const withinMs = 120_000;
/** A run over its time limit is ended soon after it. */
const endAfterMs = 150_000;
const times = { full: 10, quick: 1 };

const exits = atMostShare('npm run bench: not 0 within 120 s', 0.1);
const orders = atMostShare(`npm run bench: ${order.join(', ')} not told apart in this order`, 0.1);

/** Returns the arguments of `npm run bench` for `ringside`. */
function benchArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [, , ...args] = (scripts.bench ?? '').split(' ');
  return args;
}

/** Checks that the first command of a new user answers in time and correctly. */
export const defaultComparison: AnswerBench = {
  name: 'bench',
  bounds: [exits, orders],
  async run(context) {
    const args = benchArguments();
    const repeats = [];
    for (let repeat = 0; repeat < repeatsOf(context, times); repeat++) {
      const one = await compared(args, context, endAfterMs);
      context.say(comparedLine(one));
      context.note({ bench: 'bench', ...entryOf(one) });
      repeats.push(one);
    }
    const slowest = Math.max(0, ...repeats.map(({ elapsedMs }) => elapsedMs));
    const machine = stolenInWords(repeats.map((one) => one.machine));
    return [
      shareFinding(
        exits,
        repeats,
        ({ exitCode, elapsedMs }) => exitCode !== 0 || elapsedMs > withinMs,
        `at most ${(slowest / 1000).toFixed(0)} s; ${machine}`,
      ),
      shareFinding(orders, repeats, ({ paired }) => !paired || !areInOrder(paired, order)),
    ];
  },
};
