import { startTarget } from '../../../src/targets/launch/process.js';
import { targetByName } from '../../../src/targets/list.js';
import type { Load } from '../readers/reader.js';
import { shardReader } from '../readers/shard.js';
import { type Round, roundOrder } from '../rounds.js';

/** Eight processes have enough descriptors for all connections. */
const processes = 8;
interface Size {
  rounds: number;
  /** Both loads have the same number of deliveries a second. */
  loads: Record<'few' | 'many', Load>;
}

const sizes: Record<'quick' | 'full', Size> = {
  full: {
    rounds: 3,
    loads: {
      few: { subscribers: 1000, warmUp: 60, broadcasts: 400, ratePerSecond: 20 },
      many: { subscribers: 100_000, warmUp: 1, broadcasts: 5, ratePerSecond: 0.2 },
    },
  },
  quick: {
    rounds: 1,
    loads: {
      few: { subscribers: 1000, warmUp: 20, broadcasts: 100, ratePerSecond: 20 },
      many: { subscribers: 20_000, warmUp: 1, broadcasts: 5, ratePerSecond: 1 },
    },
  },
};
const { rounds, loads } = sizes[process.argv[2] === 'quick' ? 'quick' : 'full'];

const controller = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());

const found: Record<keyof Size['loads'], Round[]> = { few: [], many: [] };
const target = await startTarget(targetByName('uws')!, { host: '127.0.0.1', processes });
try {
  const reader = shardReader('native engine', 'native');
  for (let round = 0; round < rounds; round++) {
    for (const name of roundOrder(['few', 'many'] as const, round)) {
      const place = { target, signal: controller.signal };
      const { cpuUs, units, readsPerUnit } = await reader.with(place, loads[name], (held) => held.deliver());
      found[name].push({ cpuUs, units, readsPerUnit });
    }
  }
} finally {
  await target.stop();
}
process.stdout.write(`${JSON.stringify(found)}\n`);
