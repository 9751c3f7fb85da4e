import { bytes } from './bytes.js';
import { count } from './count.js';
import { duration } from './duration.js';
import { rate } from './rate.js';
import { share } from './share.js';
import type { Unit } from './unit.js';

/** The units that an option can be declared with. */
export type UnitName = 'duration' | 'bytes' | 'rate' | 'count' | 'share';

export const units: Readonly<Record<UnitName, Unit>> = { duration, bytes, rate, count, share };
