import { overLimits } from '../../contract/bodies.js';
import type { Problem } from '../../contract/problems.js';
import type { ShardInfo } from '../../contract/shard.js';
import { shareOf } from '../../measure/share.js';
import type { RunNeed } from '../../run/plan/needs.js';
import { preflight } from '../../run/plan/preflight.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { sourceAddresses } from '../../units/addresses.js';

/** A load of this many clients without a problem counts as unlimited. */
const beyondClients = 2 ** 24;

interface Carrying {
  url: string;
  info: Pick<ShardInfo, 'clockId' | 'engine' | 'limits'>;
}

/** The most clients of a fleet, and what limits them. Both are null if nothing does. */
export interface Capacity {
  clients: number | null;
  limit: { text: string; fix: string } | null;
}

/**
 * Returns the most clients for which preflight finds no problem, and the problem that it finds with one more. `host`
 * is that of their target, if it is known.
 */
export function capacityOf(shards: readonly Carrying[], host?: string): Capacity {
  let [carried, refused] = [0, beyondClients];
  if (problemsOf(shards, host, refused).length === 0) return { clients: null, limit: null };
  while (refused - carried > 1) {
    const middle = Math.floor((carried + refused) / 2);
    if (problemsOf(shards, host, middle).length === 0) carried = middle;
    else refused = middle;
  }
  const { message, hint } = problemsOf(shards, host, refused)[0]!;
  return { clients: carried, limit: { text: message, fix: hint } };
}

function problemsOf(shards: readonly Carrying[], host: string | undefined, clients: number): Problem[] {
  const need: RunNeed = {
    clients,
    maxInFlight: loadOptions.parse({}).maxInFlight,
    prefersNative: true,
    sourceAddresses: host === undefined ? [] : [...new Set(sourceAddresses([], host, clients))],
    targetProcesses: 1,
    targetPorts: 1,
    targetClockId: null,
    targetDescriptors: null,
    targetBytes: { connection: 0, process: 0 },
  };
  const least = { publishesPerSecond: 0, payloadBytes: 0, durationMs: 0, broadcasts: 0 };
  const over = shards.flatMap(({ url, info }, index) =>
    overLimits({ ...least, clients }, shareOf(clients, index, shards.length), info.limits, `${url}: `),
  );
  return [...over, ...preflight(need, shards)];
}
