import type { Bench } from './bench.js';
import { delivery } from './benches/delivery.js';
import { driverIdle } from './benches/driver-idle.js';
import { fleet } from './benches/fleet.js';
import { help } from './benches/help.js';
import { memory } from './benches/memory.js';
import { merge } from './benches/merge.js';

/** Every bench of the rig, in the order of `bounds`. */
export const benches: readonly Bench[] = [delivery, memory, merge, driverIdle, help, fleet];
