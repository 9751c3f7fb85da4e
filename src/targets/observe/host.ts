import {
  type CoreTicks,
  type ProcFiles,
  parseCores,
  parseListenOverflows,
  parseMemAvailable,
  procFiles,
} from './proc/files.js';
import type { ObservationSource, Reading } from './source.js';
import { Growth } from './source.js';

/** This machine, from `/proc`: memory left, a series per core (named by `process`), overflows of all accept queues. */
export function hostSource(files: ProcFiles = procFiles): ObservationSource {
  const overflows = new Growth();
  let coresBefore: CoreTicks[] = [];
  return {
    source: 'proc',
    reads: ['memAvailableBytes', 'coreBusyPercent', 'acceptQueueOverflowsPerSecond'],
    async read({ nowMs }) {
      const atMs = nowMs();
      const values: Reading[] = [
        { name: 'memAvailableBytes', value: parseMemAvailable(files.text('/proc/meminfo')), atMs },
      ];
      const perSecond = overflows.perSecond(parseListenOverflows(files.text('/proc/net/netstat')), atMs);
      if (perSecond !== undefined) values.push({ name: 'acceptQueueOverflowsPerSecond', value: perSecond, atMs });
      const cores = parseCores(files.text('/proc/stat'));
      for (const [core, value] of busyPercent(coresBefore, cores))
        values.push({ name: 'coreBusyPercent', value, process: core, atMs });
      coresBefore = cores;
      return { values, endings: [] };
    },
  };
}

/** By core, without new ones and those without ticks since. */
function busyPercent(before: readonly CoreTicks[], after: readonly CoreTicks[]): [core: string, percent: number][] {
  return after.flatMap(({ core, busy, all }): [string, number][] => {
    const earlier = before.find((each) => each.core === core);
    if (earlier === undefined || all <= earlier.all) return [];
    // The kernel may correct its idle time backwards by a tick.
    const share = (busy - earlier.busy) / (all - earlier.all);
    return [[core, Math.min(1, Math.max(0, share)) * 100]];
  });
}
