import { readFileSync } from 'node:fs';

/** Bytes of a memory field in the text of a `/proc/PID/status` (proc(5)). Throws where there is none. */
export function statusBytesIn(status: string, field: 'VmRSS' | 'VmHWM'): number {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`no ${field} in /proc/PID/status: ${status.slice(0, 100)}`);
  return Number(kibibytes) * 1024;
}

/** Resident memory of a running process. Linux only; throws when the process is gone. */
export function rssBytesOf(pid: number): number {
  return statusBytesIn(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS');
}

/**
 * The most memory that this process ever had resident: of this program alone, where what `getrusage` gives starts at the memory of the process that
 * forked it. Linux only.
 */
export function peakRssBytes(): number {
  return statusBytesIn(readFileSync('/proc/self/status', 'utf8'), 'VmHWM');
}
