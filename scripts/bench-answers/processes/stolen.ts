import { busyShare, coresBetween, readCores, stolenShare } from '../../../src/measure/rig/cores.js';

/** What the machine went through meanwhile: shares of the time of all cores; undefined where unknown. */
export interface Meanwhile {
  stolen: number | undefined;
  busy: number | undefined;
}

/** Does the work and tells what the machine went through. */
export async function meanwhile<T>(work: () => Promise<T>): Promise<{ value: T; machine: Meanwhile }> {
  const before = readCores();
  const value = await work();
  const after = readCores();
  const cores = before && after ? coresBetween(before, after) : [];
  const busy = cores.length === 0 ? undefined : cores.reduce((sum, core) => sum + busyShare(core), 0) / cores.length;
  return { value, machine: { stolen: stolenShare(cores), busy } };
}

/** The range of the stolen shares of all repeats, in words. */
export function stolenInWords(repeats: readonly Pick<Meanwhile, 'stolen'>[]): string {
  const known = repeats.flatMap(({ stolen }) => stolen ?? []);
  if (known.length === 0) return 'stolen time unknown';
  const percent = (share: number): string => (share * 100).toFixed(0);
  return `stolen ${percent(Math.min(...known))} to ${percent(Math.max(...known))} %`;
}
