import { spawnSync } from 'node:child_process';
import { MeasuredProcess } from '../../bench-rig/processes/child.js';
import type { BurnerCommands } from './burner-child.js';

const module = 'bench-answers/processes/burner-child.js';

/** Runs `work` beside processes that each burn a share of a core; `pids` are theirs. */
export async function besideBurners<T>(
  shares: readonly number[],
  signal: AbortSignal,
  work: (pids: readonly number[]) => Promise<T>,
): Promise<T> {
  const burners = shares.map(() => new MeasuredProcess<BurnerCommands>(module, signal));
  try {
    const pids: number[] = [];
    for (const [index, burner] of burners.entries()) pids.push(await burner.ask('burn', shares[index]!));
    return await work(pids);
  } finally {
    await Promise.all(burners.map((burner) => burner.stop()));
  }
}

/** Keeps all threads of a process on one core, those it starts later as well. Linux only. */
export function pin(pid: number, core: number): void {
  const { status, error, stderr } = spawnSync('taskset', ['-a', '-c', '-p', `${core}`, `${pid}`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`taskset did not keep process ${pid} on core ${core}: ${error?.message ?? stderr}`);
}
