import { readdirSync, readFileSync } from 'node:fs';

/** One living process of a family. */
export interface Relative {
  pid: number;
  /** Its command line, arguments apart by a space. */
  command: string;
}

/**
 * Every living process whose TMPDIR lies in `folder`. Ringside hands TMPDIR down to whatever it starts, so these are
 * all descendants of a command that has this folder. Reads `/proc`, and finds none without it.
 */
export function familyOf(folder: string): Relative[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const environment = readProc(`/proc/${name}/environ`)?.split('\0') ?? [];
      if (!environment.some((entry) => entry.startsWith(`TMPDIR=${folder}`))) return [];
      return { pid: Number(name), command: readProc(`/proc/${name}/cmdline`)?.replaceAll('\0', ' ').trim() ?? '' };
    });
}

/** Undefined for a process that is gone, or somebody else's. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

/** Shell text that ends a process and waits until it is gone, as its port is not free before. */
export const endsProcess = (pid: number | undefined, signal: 'KILL' | 'TERM' = 'KILL'): string =>
  `kill -${signal} ${pid}; while kill -0 ${pid} 2> /dev/null; do sleep 0.03; done`;
