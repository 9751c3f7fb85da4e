import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { TargetStats } from '../src/targets/target.js';

/** How often the event loop's delay is sampled. */
const resolutionMs = 10;

/** What a server knows of itself and its process does not. */
export interface Facts {
  versions: Record<string, string>;
  settings: Record<string, unknown>;
  /** WebSocket connections that are open now. */
  connections(): number;
}

/** Starts to watch this process and gives the reader of its stats. Event-loop numbers are those since the previous read, or since the start. */
export function statsReader({ versions, settings, connections }: Facts): () => TargetStats {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let previous = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, previous);
    previous = current;
    // The histogram holds the time from one sampling timer to the next, which is its resolution when nothing delays the loop.
    const eventLoopDelayP99Ms = Math.max(0, delay.percentile(99) / 1e6 - resolutionMs);
    delay.reset();
    const cpu = process.cpuUsage();
    return {
      pid: process.pid,
      rssBytes: process.memoryUsage.rss(),
      cpuUserUs: cpu.user,
      cpuSystemUs: cpu.system,
      connections: connections(),
      eventLoopDelayP99Ms,
      eventLoopUtilization: utilization,
      versions: { node: process.versions.node, ...versions },
      settings,
    };
  };
}
