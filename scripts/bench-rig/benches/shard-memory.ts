import { setTimeout as delay } from 'node:timers/promises';
import { count } from '../../../src/units/words.js';
import type { Bench } from '../bench.js';
import { whileHeld } from '../processes/held.js';
import { rssBytesOf } from '../processes/process-status.js';

const connections = 15_000;
const holdMs = 10_000;
const readings = 5;
const readingEveryMs = 1000;

/** What a held connection costs a whole bench-runner with the real job: its threads, their heaps and all, spread over its connections. */
export const shardMemory: Bench = {
  name: 'shard-memory',
  bounds: ['shardMemory'],
  async run({ signal }) {
    const { value: growths } = await whileHeld({ connections, rampPerSecond: 3000, holdMs }, signal, async (holder) => {
      const grown: number[] = [];
      for (let i = 0; i < readings; i++) {
        await delay(readingEveryMs, undefined, { signal });
        grown.push(rssBytesOf(holder.pid) - holder.idleRssBytes);
      }
      return grown;
    });
    // The worst of them: a collection in the hold may give back what the ramp left.
    const most = Math.max(...growths);
    const least = Math.min(...growths);
    const detail = `${count(connections)} held; ${(least / 1e6).toFixed(1)} to ${(most / 1e6).toFixed(1)} MB`;
    return [{ bound: 'shardMemory', value: most / connections, detail }];
  },
};
