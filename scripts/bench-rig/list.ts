import type { Bench } from './bench.js';
import { delivery } from './benches/delivery.js';
import { driverIdle } from './benches/driver-idle.js';
import { fleet } from './benches/fleet.js';
import { help } from './benches/help.js';
import { memory } from './benches/memory.js';
import { merge } from './benches/merge.js';
import { opening } from './benches/opening.js';
import { report } from './benches/report.js';
import { shardMemory } from './benches/shard-memory.js';

/** Every bench of the rig, in the order of `bounds`. */
export const benches: readonly Bench[] = [
  delivery,
  opening,
  memory,
  shardMemory,
  merge,
  driverIdle,
  help,
  report,
  fleet,
];
