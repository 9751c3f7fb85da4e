import { busyShare, type CoreTicks, coresBetween, parseCores, stolenShare } from '../../measure/rig/machine.js';
import { type ProcFiles, parseListenOverflows, parseMemAvailable, procFiles } from './proc/files.js';
import { dearEveryMs, ObservedProcess } from './proc/process.js';
import { Growth, type ObservationSource, type Reading, type SourceEnding } from './source.js';

/** Reads a process of this machine and all its descendants from `/proc` (Linux). Each series names its pid. */
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
      'coreWaitPercent',
    ],
    rarely: { pssBytes: dearEveryMs, descriptors: dearEveryMs, descriptorLimit: Number.POSITIVE_INFINITY },
    async read({ nowMs }) {
      const values: Reading[] = [];
      const endings: SourceEnding[] = [];
      // One stamp for the whole round, so that the points of all processes can be added up.
      const roundAtMs = nowMs();
      // Children found by a reading are added at the end, and so come in the same round.
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

/** Reads this machine's `/proc`: memory left, each core (named by `process`), stolen time, accept queue overflows. */
export function hostSource(files: ProcFiles = procFiles): ObservationSource {
  const overflows = new Growth();
  let coresBefore: CoreTicks[] = [];
  return {
    source: 'proc',
    reads: ['memAvailableBytes', 'coreBusyPercent', 'stolenPercent', 'acceptQueueOverflowsPerSecond'],
    async read({ nowMs }) {
      const atMs = nowMs();
      const values: Reading[] = [
        { name: 'memAvailableBytes', value: parseMemAvailable(files.text('/proc/meminfo')), atMs },
      ];
      const perSecond = overflows.perSecond(parseListenOverflows(files.text('/proc/net/netstat')), atMs);
      if (perSecond !== undefined) values.push({ name: 'acceptQueueOverflowsPerSecond', value: perSecond, atMs });
      const cores = parseCores(files.text('/proc/stat'));
      const since = coresBetween(coresBefore, cores);
      for (const { core, busy, idle } of since) {
        // A core that was away all the time was neither busy nor idle.
        if (busy + idle === 0) continue;
        values.push({ name: 'coreBusyPercent', value: busyShare({ busy, idle }) * 100, process: core, atMs });
      }
      const stolen = stolenShare(since);
      if (stolen !== undefined) values.push({ name: 'stolenPercent', value: stolen * 100, atMs });
      coresBefore = cores;
      return { values, endings: [] };
    },
  };
}
