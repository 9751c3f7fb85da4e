import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { TargetStats } from '../src/targets/target.js';

const resolutionMs = 10;

/** Bun names itself and the Node that it stands in for. */
const { bun, node } = process.versions;

/** What a server knows of itself and its process does not. */
type Facts = Pick<TargetStats, 'versions' | 'settings'> & { connections(): number };

/** Watches this process and gives the reader of its stats. Event-loop numbers count since the previous read. */
export function statsReader({ versions, settings, connections }: Facts): () => TargetStats {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let previous = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, previous);
    previous = current;
    // Node's histogram holds the time between sampling timers: the resolution, if nothing delays the loop. Bun's holds
    // how late they are.
    const undelayedMs = bun === undefined ? resolutionMs : 0;
    const eventLoopDelayP99Ms = Math.max(0, delay.percentile(99) / 1e6 - undelayedMs);
    delay.reset();
    const cpu = process.cpuUsage();
    return {
      pid: process.pid,
      rssBytes: process.memoryUsage.rss(),
      cpuUserUs: cpu.user,
      cpuSystemUs: cpu.system,
      connections: connections(),
      eventLoopDelayP99Ms,
      // Bun has the function and always says 0.
      ...(bun === undefined && { eventLoopUtilization: utilization }),
      versions: { ...(bun === undefined ? { node } : { bun }), ...versions },
      settings,
    };
  };
}

/** Finds packages in the folder that `--packages` names, or among those of Ringside. */
export function packagesIn(folder?: string): NodeJS.Require {
  return createRequire(folder === undefined ? import.meta.url : join(folder, 'package.json'));
}

/** Version of an installed package, and its own name if that differs. Throws if it is not installed. */
export function packageVersion(name: string, require = packagesIn()): string {
  // Not every package exports its package.json.
  for (let folder = dirname(require.resolve(name)); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = manifestIn(folder);
    if (manifest?.version === undefined) continue;
    return manifest.name === name ? manifest.version : `${manifest.version} (${manifest.name})`;
  }
  throw new Error(`found no package.json with a version for ${name}`);
}

function manifestIn(folder: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
