import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessStats } from '../target.js';
import { fetchStats } from './stats.js';

const askEveryMs = 20;
const servesWithinMs = 15_000;

/** The further processes of a target that revives them, as its stats at `statsUrl` name them. */
export async function furtherProcesses(statsUrl: string): Promise<ProcessStats[]> {
  return ((await fetchStats(statsUrl)).processes ?? []).slice(1);
}

/**
 * Ends a further process of a target and waits until another one serves at its port, which is to take `downMs` and no more than 15 s beyond. Rejects with an
 * Error where none does; `over` ends the wait.
 */
export async function replaceProcess(
  statsUrl: string,
  { pid, port }: Pick<ProcessStats, 'pid' | 'port'>,
  { signal, downMs, over }: { signal: 'SIGTERM' | 'SIGKILL'; downMs: number; over: AbortSignal },
): Promise<void> {
  process.kill(pid, signal);
  const endMs = performance.now() + downMs + servesWithinMs;
  while (performance.now() < endMs && !over.aborted) {
    await delay(askEveryMs);
    const found = (await furtherProcesses(statsUrl)).find((each) => each.port === port);
    if (found !== undefined && found.pid !== pid) return;
  }
  if (!over.aborted)
    throw new Error(
      `no other process took port ${port} within ${servesWithinMs / 1000} s after process ${pid} was ended`,
    );
}
