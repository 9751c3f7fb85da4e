import type { Bench } from '../bench.js';
import { Child } from '../processes/child.js';
import { withDirectory } from '../processes/directory.js';
import type { MergeCommands } from '../processes/merge-child.js';

const bodies = 50;
const samplesPerBody = 1_000_000;
const samplesOfLargeBody = 1_200_000;

/** What the driver does at the end of a large run: 50 million samples out of 50 bodies, in a process that holds nothing else. */
export const merge: Bench = {
  name: 'merge',
  bounds: ['mergeTime', 'mergeMemory', 'bodySize'],
  async run({ signal }) {
    const ask = async <T>(work: (child: Child<MergeCommands>) => Promise<T>): Promise<T> => {
      const child = new Child<MergeCommands>('./merge-child.js', signal);
      return work(child).finally(() => child.stop());
    };
    return withDirectory(async (directory) => {
      // Whoever made the bodies holds their garbage: the merge has a process of its own.
      const sizes = await ask(async (child) => {
        await child.ask('write', { directory, bodies, samples: samplesPerBody });
        return child.ask('sizes', samplesOfLargeBody);
      });
      const cost = await ask((child) => child.ask('merge', directory));
      if (cost.samples !== bodies * samplesPerBody) throw new Error(`${cost.samples} samples came out of the merge`);
      return [
        { bound: 'mergeTime', value: cost.elapsedMs, detail: 'log-normal latencies, every body another' },
        { bound: 'mergeMemory', value: cost.peakRssBytes, detail: '' },
        {
          bound: 'bodySize',
          value: sizes.widest,
          detail: `spread over 71 minutes; of such latencies ${(sizes.usual / 1e6).toFixed(2)} MB`,
        },
      ];
    });
  },
};
