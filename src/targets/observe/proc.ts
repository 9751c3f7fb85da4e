import {
  type CoreTicks,
  type ProcFiles,
  parseCores,
  parseListenOverflows,
  parseMemAvailable,
  procFiles,
} from './proc/files.js';
import { dearEveryMs, ObservedProcess } from './proc/process.js';
import { type Ending, Growth, type ObservationSource, type Reading } from './source.js';

/** A process of this machine and all its descendants, from `/proc` (Linux). Each series names its pid. */
export function procSource(pid: number, files: ProcFiles = procFiles): ObservationSource {
  const living = new Map([[pid, new ObservedProcess(files, pid)]]);
  let wasSeen = false;
  return {
    source: 'proc',
    reads: [
      'rssBytes',
      'pssBytes',
      'cpuPercent',
      'busiestThreadPercent',
      'threads',
      'descriptors',
      'descriptorLimit',
      'voluntarySwitchesPerSecond',
      'involuntarySwitchesPerSecond',
    ],
    rarely: { pssBytes: dearEveryMs, descriptors: dearEveryMs, descriptorLimit: Number.POSITIVE_INFINITY },
    async read({ nowMs }) {
      const values: Reading[] = [];
      const endings: Ending[] = [];
      // One stamp for the whole round, so that the points of all processes can be added up.
      const roundAtMs = nowMs();
      // Children found by a look are added at the end, and so come in the same round.
      for (const [id, observed] of living) {
        const look = await observed.look(nowMs());
        const process = String(id);
        if (look === undefined) {
          living.delete(id);
          endings.push({ process, because: `process ${id} is gone` });
          continue;
        }
        wasSeen = true;
        values.push(...look.values.map((reading) => ({ ...reading, process, atMs: roundAtMs })));
        endings.push(...look.endings.map((ending) => ({ ...ending, process })));
        for (const child of look.children) if (!living.has(child)) living.set(child, new ObservedProcess(files, child));
      }
      if (!wasSeen) throw new Error(`there is no process ${pid} in /proc`);
      return { values, endings };
    },
  };
}

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
