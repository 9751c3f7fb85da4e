import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { TargetStats } from '../src/targets/target.js';
import { unlessCode } from '../src/units/system.js';

const resolutionMs = 10;

/** Bun reports itself and the Node version that it emulates. */
const { bun, node } = process.versions;

type Facts = Pick<TargetStats, 'versions' | 'settings'> & { connections(): number };

/** Watches this process and returns the reader of its stats. Event-loop numbers count since the previous read. */
export function statsReader({ versions, settings, connections }: Facts): () => TargetStats {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let previous = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, previous);
    previous = current;
    // Node's histogram holds the time between sampling timers. Without delays, that is the resolution. Bun's histogram
    // holds how late they are.
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
      // Bun has the function but always returns 0.
      ...(bun === undefined && { eventLoopUtilization: utilization }),
      versions: { ...(bun === undefined ? { node } : { bun }), ...versions },
      settings,
    };
  };
}

/** Returns a `require` for the folder that `--packages` names, or for the packages of Ringside. */
export function packagesIn(folder?: string): NodeJS.Require {
  return createRequire(folder === undefined ? import.meta.url : join(folder, 'package.json'));
}

/** Returns the version of an installed package, and its own name if that differs. Throws if it is not installed. */
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
  return unlessCode(['ENOENT'], () => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
}
