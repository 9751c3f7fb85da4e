import type { RunResult } from '../../results/result.js';

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** How a second driver came to a run, and what the result lacks for it; nothing for a run with one driver. */
export function attachedInWords({
  attached,
  loadAtMs,
}: Pick<RunResult['environment'], 'attached' | 'loadAtMs'>): string[] {
  if (!attached) return [];
  const { atMs, from, by, silentMs, lacks } = attached;
  const how = silentMs === 0 ? `${from} left it` : `${from} was silent for ${seconds(silentMs)}`;
  return [
    `${by} attached ${seconds(atMs - loadAtMs)} into the run, when ${how}`,
    ...(lacks.length > 0 ? [`nobody kept ${lacks.join(', nor ')}`] : []),
  ];
}
