import { isApart } from '../answers.js';
import { type AnswerBench, atMostShare, repeatsOf, shareFinding } from '../bench.js';
import { stolenInWords } from '../processes/burner.js';
import { compared, comparedLine, entryOf } from '../processes/compared.js';
import { withOwnServers } from '../processes/servers.js';

const times = { full: 20, quick: 1 };
const withinMs = 180_000;
const load = { full: [], quick: ['--starts', '3', '--rounds', '12', '--slot', '40ms'] };

const apart = atMostShare('a server against itself: told apart', 0.05);
const none = atMostShare('a server against itself: no comparison', 0);

/** Compares two processes of one server, fresh in every start. There is no difference to find. */
export const againstItself: AnswerBench = {
  name: 'itself',
  bounds: [apart, none],
  async run(context) {
    const repeats = [];
    for (let repeat = 0; repeat < repeatsOf(context, times); repeat++) {
      const one = await withOwnServers('uws', ['one', 'other'], (file) => {
        const flags = ['--target-file', file, '--subscribers', '100', ...load[context.isQuick ? 'quick' : 'full']];
        return compared(['compare', 'latency', ...flags], context, withinMs);
      });
      context.say(comparedLine(one));
      context.note({ bench: 'itself', ...entryOf(one) });
      repeats.push(one);
    }
    return [
      shareFinding(
        apart,
        repeats,
        ({ paired }) => paired !== undefined && isApart(paired, 'one', 'other'),
        stolenInWords(repeats.map(({ machine }) => machine)),
      ),
      shareFinding(none, repeats, ({ paired }) => (paired?.pairs.length ?? 0) === 0),
    ];
  },
};
