import { existsSync, readFileSync } from 'node:fs';

/** Whether a process lives and `parent` started it. On a system without `/proc` nobody can tell, and the answer is yes. */
export function isChildOf(pid: number, parent: number): boolean {
  if (!existsSync('/proc/self/status')) return true;
  return /^PPid:\t(\d+)$/m.exec(statusOf(pid))?.[1] === String(parent);
}

/** Empty for a process that is gone. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
