import { coresBetween, stolenShare } from '../../measure/rig/cores.js';
import { segmentsLost, tcpBetween } from '../../measure/tcp.js';
import { withoutSecrets } from '../../units/urls.js';
import { loopCapacity } from './capacity.js';
import { clockOf } from './clock.js';
import type { LoopCost } from './load.js';
import type { Probe } from './probe.js';
import type { ShardDrill } from './schema.js';

/** What the loads on a shard gave. */
interface Loaded {
  cost: LoopCost;
  coreWaitShare: number | null;
  path: ShardDrill['path'];
  /** Shards of its machine, itself included. */
  beside: number;
}

/** All that is known of one shard. */
export function compose(probe: Probe, { cost, coreWaitShare, path, beside }: Loaded): ShardDrill {
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
    loop: cost.isMeasured ? { ...cost, ...loopCapacity(cost.cpuUs, cpu, beside) } : cost,
    path,
  };
}

/** The second look at the vitals follows the bytes. */
function linkOf({ sent: { bytes, ms }, vitals: [before, after] }: Probe): ShardDrill['link'] {
  const tcp = tcpBetween(before?.tcp ?? undefined, after?.tcp ?? undefined);
  return {
    bytes,
    bytesPerSecond: ms > 0 ? (bytes * 1000) / ms : 0,
    lost: tcp ? segmentsLost(tcp.counts) : null,
    segments: tcp ? tcp.counts.dataSent : null,
  };
}

/** From the first look at the vitals to the last. */
function cpuOf({ info, vitals }: Probe, coreWaitShare: number | null): ShardDrill['cpu'] {
  const [first, last] = [vitals[0], vitals.at(-1)];
  const spentMs = first && last ? last.atMs - first.atMs : 0;
  const part = (of: 'throttledMs' | 'coreWaitMs'): number | null => {
    const [before, after] = [first?.[of] ?? null, last?.[of] ?? null];
    return before === null || after === null || spentMs <= 0 ? null : Math.max(0, after - before) / spentMs;
  };
  const cores = first?.cores &&
    last?.cores && [
      { core: 'all', ...first.cores },
      { core: 'all', ...last.cores },
    ];
  const stolen = cores && stolenShare(coresBetween([cores[0]!], [cores[1]!]));
  return {
    cores: info.machine.cores,
    quotaCores: last?.quotaCores ?? null,
    stolenShare: stolen ?? null,
    throttledShare: part('throttledMs'),
    coreWaitShare: coreWaitShare ?? part('coreWaitMs'),
  };
}
