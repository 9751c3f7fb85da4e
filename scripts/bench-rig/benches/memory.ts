import { setTimeout as delay } from 'node:timers/promises';
import { countText } from '../../../src/units/text.js';
import { type Bench, type Bound, printers } from '../bench.js';
import { audienceJob, type ClientKind, withAudience } from '../processes/audience.js';
import { rssBytesOf } from '../processes/child.js';
import { whileHeld } from '../processes/collected.js';
import { withTarget } from '../processes/places.js';

const connections = 15_000;
const holdMs = 10_000;
const readings = 5;
const readingEveryMs = 1000;

const perConnection: Bound = {
  what: 'memory of a whole bench-runner per held connection',
  atMost: 6000,
  print: printers.bytes,
};

/** Measures the memory of a bench-runner with all its threads, per connection of a real run. */
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
    // The largest growth counts, because a collection during the hold can free memory of the ramp.
    const most = Math.max(...growths);
    const least = Math.min(...growths);
    const detail = `${countText(connections)} held; ${(least / 1e6).toFixed(1)} to ${(most / 1e6).toFixed(1)} MB`;
    return [{ bound: perConnection, value: most / connections, detail }];
  },
};

const clients = 15_000;

const idle: Bound = {
  what: 'memory per idle client, wire client / library client',
  atMost: 0.75,
  print: printers.ratio,
};

/**
 * Compares the resident memory per idle, subscribed client of wire clients and the real library, in separate processes.
 */
export const memory: Bench = {
  name: 'memory',
  bounds: [idle],
  run: ({ signal }) =>
    withTarget(async (target) => {
      const bytesPerClient = async (client: ClientKind): Promise<number> => {
        const growth = await withAudience(audienceJob(target, client, clients), signal, (audience) =>
          audience.ask('growth'),
        );
        return growth / clients;
      };
      const wire = await bytesPerClient('wire');
      const library = await bytesPerClient('library');
      return [
        { bound: idle, value: wire / library, detail: `${countText(clients)} subscribed clients each` },
        { what: '  wire client', measured: printers.bytes(wire), detail: '' },
        { what: '  library client', measured: printers.bytes(library), detail: '' },
      ];
    }),
};
