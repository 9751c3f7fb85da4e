import { readProcText } from '../measure/rig/machine.js';
import { isGone } from '../targets/observe/proc/files.js';

const lookEveryMs = 500;
const shellName = /^(ba|da|a|k|z)?sh$/;

/**
 * Sends SIGTERM to this process when the npm or npx that started it is gone: a signal to npm reaches only the shell
 * between them. Without effect if something else started it, or if it leads a session of its own (setsid).
 */
export function endWithNpm(): void {
  // The environment of a process that a driver started is the driver's.
  if (process.env.npm_execpath === undefined || process.env.RINGSIDE_EXIT_WITH_STDIN === '1') return;
  const session = statOf(process.pid)?.session;
  if (session === process.pid) return;
  const first = starters();
  const timer = setInterval(() => {
    const isAnother = starters().some((pid, place) => first[place] !== undefined && pid !== first[place]);
    // It may have been gone before this process looked: what adopts an orphan is in another session.
    if (!isAnother && (statOf(process.ppid)?.session ?? session) === session) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, lookEveryMs);
  timer.unref();
}

/** The parent, and where that is a shell what started it, up to the first that is none: npm. Ends at the unreadable. */
function starters(): number[] {
  const pids = [process.ppid];
  for (let above = statOf(process.ppid); above && shellName.test(above.name); above = statOf(above.parent))
    pids.push(above.parent);
  return pids;
}

/** Undefined without `/proc`, for a process that is gone, and while no descriptor is free. */
function statOf(pid: number): { name: string; parent: number; session: number } | undefined {
  try {
    const text = readProcText(`/proc/${pid}/stat`);
    const [, name, parent, session] = /^\d+ \((.*)\) \S (\d+) \d+ (\d+) /s.exec(text ?? '') ?? [];
    return name === undefined ? undefined : { name, parent: Number(parent), session: Number(session) };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
