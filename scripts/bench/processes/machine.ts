import { execaSync } from 'execa';
import { busyShare, coresBetween, readCores, stolenShare } from '../../../src/measure/rig/machine.js';
import type { MeasuredCommands } from './measured-child.js';
import { MeasuredProcess } from './program.js';

/** Runs `work` beside processes that each burn a share of a core. `pids` are their process ids. */
export async function besideBurners<T>(
  shares: readonly number[],
  signal: AbortSignal,
  work: (pids: readonly number[]) => Promise<T>,
): Promise<T> {
  const burners = shares.map(() => new MeasuredProcess<MeasuredCommands>(signal));
  try {
    for (const [index, burner] of burners.entries()) await burner.ask('burn', shares[index]!);
    return await work(burners.map(({ pid }) => pid));
  } finally {
    await Promise.all(burners.map((burner) => burner.stop()));
  }
}

/** Keeps all threads of a process on one core, including those it starts later. Linux only. */
export function pin(pid: number, core: number): void {
  execaSync('taskset', ['-a', '-c', '-p', `${core}`, `${pid}`]);
}

/** Describes the load of the machine meanwhile, as shares of the time of all cores. Undefined where unknown. */
export interface Meanwhile {
  stolen: number | undefined;
  busy: number | undefined;
}

/** Does the work and measures the load of the machine meanwhile. */
export async function meanwhile<T>(work: () => Promise<T>): Promise<{ value: T; machine: Meanwhile }> {
  const before = readCores();
  const value = await work();
  const after = readCores();
  const cores = before && after ? coresBetween(before, after) : [];
  const busy = cores.length === 0 ? undefined : cores.reduce((sum, core) => sum + busyShare(core), 0) / cores.length;
  return { value, machine: { stolen: stolenShare(cores), busy } };
}

/** Formats the range of the stolen shares of all repeats. */
export function stolenInWords(repeats: readonly { machine: Meanwhile }[]): string {
  const known = repeats.flatMap(({ machine: { stolen } }) => stolen ?? []);
  if (known.length === 0) return 'stolen time unknown';
  const percent = (share: number): string => (share * 100).toFixed(0);
  return `stolen ${percent(Math.min(...known))} to ${percent(Math.max(...known))} %`;
}
