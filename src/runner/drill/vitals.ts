import type { Vitals } from '../../contract/drill.js';
import { readCores } from '../../measure/rig/cores.js';
import { readProcText } from '../../measure/rig/machine.js';
import { readTcp } from '../../measure/tcp.js';
import { readCpuQuota } from './cpu-quota.js';

/** What the machine and the control group of this process count now. */
export function readVitals(): Vitals {
  const { cores: quotaCores, group: quotaGroup, throttledMs } = readCpuQuota();
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    cores: allCores(),
    ownCpuMs: (user + system) / 1000,
    quotaCores,
    quotaGroup,
    throttledMs,
    coreWaitMs: coreWaitMs(),
    tcp: readTcp() ?? null,
  };
}

function allCores(): Vitals['cores'] {
  const cores = readCores();
  if (!cores) return null;
  const sum = (of: 'busy' | 'idle' | 'stolen'): number => cores.reduce((all, core) => all + core[of], 0);
  return { busy: sum('busy'), idle: sum('idle'), stolen: sum('stolen') };
}

function coreWaitMs(): number | null {
  const text = process.platform === 'linux' ? readProcText('/proc/self/schedstat') : undefined;
  return text === undefined ? null : Number(text.split(' ')[1]) / 1e6;
}
