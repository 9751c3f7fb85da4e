import type { TargetStats } from '../../src/targets/target.js';

/** One process's part of a target. */
export interface Part {
  port: number;
  stats: TargetStats;
}

/**
 * The stats of a target that runs as several processes: memory, CPU and connections are sums; the event loop's numbers are those of the worst
 * process, whose wall the target meets first; everything else is the first process's.
 */
export function sumOf(first: Part, others: readonly Part[]): TargetStats {
  const parts = [first, ...others];
  const all = parts.map(({ stats }) => stats);
  return {
    ...first.stats,
    rssBytes: sum(all.map(({ rssBytes }) => rssBytes)),
    cpuUserUs: sum(all.map(({ cpuUserUs }) => cpuUserUs)),
    cpuSystemUs: sum(all.map(({ cpuSystemUs }) => cpuSystemUs)),
    connections: sum(all.map(({ connections }) => connections)),
    eventLoopDelayP99Ms: Math.max(...all.map(({ eventLoopDelayP99Ms }) => eventLoopDelayP99Ms)),
    eventLoopUtilization: Math.max(...all.map(({ eventLoopUtilization }) => eventLoopUtilization)),
    processes: parts.map(({ port, stats: { pid, rssBytes, cpuUserUs, cpuSystemUs, connections } }) => ({
      pid,
      port,
      rssBytes,
      cpuUserUs,
      cpuSystemUs,
      connections,
    })),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
