import { type Bench, type Bound, printers } from '../bench.js';
import { MeasuredProcess } from '../processes/child.js';
import type { MergeCommands } from '../processes/merge-child.js';
import { withDirectory } from '../processes/places.js';

const bodies = 50;
const samplesPerBody = 1_000_000;
const samplesOfLargeBody = 1_200_000;

const time: Bound = {
  what: 'decode and merge 50 shard bodies of 1,000,000 samples',
  atMost: 6000,
  print: printers.seconds,
};
const peak: Bound = { what: 'peak memory of the process that merges them', atMost: 1.5e9, print: printers.megabytes };
const size: Bound = { what: 'one shard body of 1,200,000 samples', atMost: 3e6, print: printers.megabytes };

/**
 * Measures the end of a large run in the driver. It merges 50 million samples from 50 bodies, in a process of its own.
 */
export const merge: Bench = {
  name: 'merge',
  bounds: [time, peak, size],
  async run({ signal }) {
    const ask = async <T>(work: (child: MeasuredProcess<MergeCommands>) => Promise<T>): Promise<T> => {
      const child = new MeasuredProcess<MergeCommands>('bench-rig/processes/merge-child.js', signal);
      return work(child).finally(() => child.stop());
    };
    return withDirectory(async (directory) => {
      // Another process makes the bodies, so that its garbage does not count.
      const largest = await ask(async (child) => {
        await child.ask('write', { directory, bodies, samples: samplesPerBody });
        return child.ask('largest', samplesOfLargeBody);
      });
      const cost = await ask((child) => child.ask('merge', directory));
      if (cost.samples !== bodies * samplesPerBody) throw new Error(`${cost.samples} samples came out of the merge`);
      return [
        { bound: time, value: cost.elapsedMs, detail: 'log-normal latencies, different in each body' },
        { bound: peak, value: cost.peakRssBytes, detail: '' },
        { bound: size, value: largest, detail: 'spread over 71 minutes' },
      ];
    });
  },
};
