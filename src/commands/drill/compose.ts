import type { Vitals } from '../../contract/drill.js';
import { busyShare, coresBetween, stolenShare } from '../../measure/rig/cores.js';
import { segmentsLost, tcpBetween } from '../../measure/tcp.js';
import { withoutSecrets } from '../../units/addresses.js';
import { loopCapacity, type Sharing } from './capacity.js';
import { clockOf } from './clock.js';
import type { LoopCost } from './cost.js';
import type { Probe } from './probe.js';
import type { ShardDrill } from './schema.js';

/** Holds what the loads on a shard measured. */
interface Loaded {
  cost: LoopCost;
  coreWaitShare: number | null;
  path: ShardDrill['path'];
  sharing: Sharing;
}

/** Returns everything that the drill knows of one shard. */
export function shardDrillOf(probe: Probe, { cost, coreWaitShare, path, sharing }: Loaded): ShardDrill {
  const { info, looks, lost } = probe;
  const { version, engine, clockId, machine, limits } = info;
  const cpu = cpuOf(probe, coreWaitShare);
  return {
    url: withoutSecrets(probe.url),
    ...(lost !== undefined && { lost }),
    ...{ version, engine, clockId, machine, limits },
    ...clockOf(looks),
    link: linkOf(probe),
    cpu,
    loop: cost.isMeasured ? { ...cost, ...loopCapacity(cost, cpu, sharing) } : cost,
    path,
  };
}

function linkOf({ sent: { bytes, ms }, vitals: { quiet, sent } }: Probe): ShardDrill['link'] {
  const tcp = tcpBetween(quiet?.tcp ?? undefined, sent?.tcp ?? undefined);
  return {
    bytes,
    bytesPerSecond: ms > 0 ? (bytes * 1000) / ms : 0,
    lost: tcp ? segmentsLost(tcp.counts) : null,
    segments: tcp ? tcp.counts.dataSent : null,
  };
}

/** Covers the whole drill, or the part until the shard was lost. */
function cpuOf({ info, vitals: { first, quiet, sent, last } }: Probe, coreWaitShare: number | null): ShardDrill['cpu'] {
  const end = last ?? sent ?? quiet;
  const spentMs = first && end ? end.atMs - first.atMs : 0;
  const part = (of: 'throttledMs' | 'coreWaitMs'): number | null => {
    const [before, after] = [first?.[of] ?? null, end?.[of] ?? null];
    return before === null || after === null || spentMs <= 0 ? null : Math.max(0, after - before) / spentMs;
  };
  const spent = ticksBetween(first, end);
  return {
    cores: info.machine.cores,
    quotaCores: end?.quotaCores ?? null,
    othersCores: othersCores(info.machine.cores, first, quiet),
    stolenShare: (spent && stolenShare([spent])) ?? null,
    throttledShare: part('throttledMs'),
    coreWaitShare: coreWaitShare ?? part('coreWaitMs'),
  };
}

type Ticks = NonNullable<Vitals['cores']>;

/** Returns the ticks of all cores together. */
function ticksBetween(before: Vitals | undefined, after: Vitals | undefined): Ticks | undefined {
  if (!before?.cores || !after?.cores) return undefined;
  const [ticks] = coresBetween([{ core: 'all', ...before.cores }], [{ core: 'all', ...after.cores }]);
  return ticks;
}

/** Returns the cores that other programs than the shard's process kept busy. */
function othersCores(cores: number, before: Vitals | undefined, after: Vitals | undefined): number | null {
  const ticks = ticksBetween(before, after);
  if (!ticks || !before || !after) return null;
  const own = (after.ownCpuMs - before.ownCpuMs) / (after.atMs - before.atMs);
  return Math.max(0, cores * busyShare(ticks) - own);
}
