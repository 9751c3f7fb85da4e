import { countText } from '../../../src/units/text.js';
import type { Bench } from '../bench.js';
import { growthBounds, growthFindings, memoryUntil, whileHeld } from '../processes/collected.js';

const connections = 5000;
const minutes = { full: 10, quick: 2 };

const bounds = growthBounds(`of a bench-runner that holds ${countText(connections)} connections`);

/** Measures the memory of a bench-runner that holds connections for ten minutes. It must not grow. */
export const soak: Bench = {
  name: 'soak',
  isOnRequest: true,
  bounds: Object.values(bounds),
  async run({ isQuick, signal, say }) {
    const holdMs = (isQuick ? minutes.quick : minutes.full) * 60_000;
    const load = { connections, rampPerSecond: 1000, holdMs, isInspected: true };
    const readings = await whileHeld(load, signal, (holder) => memoryUntil(holder.endMs, holder, { signal, say }));
    return growthFindings(bounds, readings, `${holdMs / 60_000} min, first minute to last`);
  },
};
