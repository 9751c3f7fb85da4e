import type { BesideStats, TargetStats } from '../../src/targets/target.js';

/** One process's part of a target. */
export interface Part {
  port: number;
  stats: TargetStats;
}

/** Stats of all processes: sums, of the event loops the worst, and all else of the first process. */
export function sumOf(first: Part, others: readonly Part[]): TargetStats {
  const parts = [first, ...others];
  const all = parts.map(({ stats }) => stats);
  const sum = (key: 'rssBytes' | 'cpuUserUs' | 'cpuSystemUs' | 'connections') =>
    all.reduce((total, each) => total + each[key], 0);
  return {
    ...first.stats,
    rssBytes: sum('rssBytes'),
    cpuUserUs: sum('cpuUserUs'),
    cpuSystemUs: sum('cpuSystemUs'),
    connections: sum('connections'),
    eventLoopDelayP99Ms: Math.max(...all.map(({ eventLoopDelayP99Ms = 0 }) => eventLoopDelayP99Ms)),
    eventLoopUtilization: Math.max(...all.map(({ eventLoopUtilization = 0 }) => eventLoopUtilization)),
    processes: parts.map(({ port, stats: { pid, rssBytes, cpuUserUs, cpuSystemUs, connections } }) => {
      return { pid, port, rssBytes, cpuUserUs, cpuSystemUs, connections };
    }),
  };
}

/** The same with a program that serves no clients and belongs to the target: its memory and CPU are in the sums. */
export function withBeside(stats: TargetStats, beside: BesideStats): TargetStats {
  return {
    ...stats,
    rssBytes: stats.rssBytes + beside.rssBytes,
    cpuUserUs: stats.cpuUserUs + beside.cpuUserUs,
    cpuSystemUs: stats.cpuSystemUs + beside.cpuSystemUs,
    besides: [beside],
  };
}
