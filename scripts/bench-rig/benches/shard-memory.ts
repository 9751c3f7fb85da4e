import { setTimeout as delay } from 'node:timers/promises';
import { count } from '../../../src/units/words.js';
import { type Bench, type Bound, print } from '../bench.js';
import { whileHeld } from '../processes/held.js';
import { rssBytesOf } from '../processes/process-files.js';

const connections = 15_000;
const holdMs = 10_000;
const readings = 5;
const readingEveryMs = 1000;

const perConnection: Bound = {
  what: 'memory of a whole bench-runner per held connection',
  atMost: 6000,
  print: print.bytes,
};

/** Memory of a bench-runner with all its threads, per connection that it holds in a real run. */
export const shardMemory: Bench = {
  name: 'shard-memory',
  bounds: [perConnection],
  async run({ signal }) {
    const growths = await whileHeld({ connections, rampPerSecond: 3000, holdMs }, signal, async (holder) => {
      const grown: number[] = [];
      for (let i = 0; i < readings; i++) {
        await delay(readingEveryMs, undefined, { signal });
        grown.push(rssBytesOf(holder.pid) - holder.idleRssBytes);
      }
      return grown;
    });
    // The largest: a collection during the hold may free what the ramp left.
    const most = Math.max(...growths);
    const least = Math.min(...growths);
    const detail = `${count(connections)} held; ${(least / 1e6).toFixed(1)} to ${(most / 1e6).toFixed(1)} MB`;
    return [{ bound: perConnection, value: most / connections, detail }];
  },
};
