import { readFileSync } from 'node:fs';

/** Linux counts CPU time of processes in hundredths of a second (USER_HZ). */
const ticksPerSecond = 100;

/** CPU seconds, user and system, in the text of `/proc/PID/stat` (proc(5)). Throws on other text. */
export function cpuSecondsIn(stat: string): number {
  // The second field is the program's name in parentheses, and may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  if (fields.length < 13 || !Number.isInteger(userTicks + systemTicks))
    throw new Error(`no /proc/PID/stat: ${stat.slice(0, 100)}`);
  return (userTicks + systemTicks) / ticksPerSecond;
}

/** CPU seconds of a running process, without its children. Linux only. */
export function cpuSecondsOf(pid: number): number {
  return cpuSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** Bytes of a memory field in the text of `/proc/PID/status` (proc(5)). Throws if the field is missing. */
export function statusBytesIn(status: string, field: 'VmRSS' | 'VmHWM'): number {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`no ${field} in /proc/PID/status: ${status.slice(0, 100)}`);
  return Number(kibibytes) * 1024;
}

/** Resident memory of a running process. Linux only. */
export function rssBytesOf(pid: number): number {
  return statusBytesIn(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS');
}

/** The most memory that this process had resident. `getrusage` would start at the memory of the parent. Linux only. */
export function peakRssBytes(): number {
  return statusBytesIn(readFileSync('/proc/self/status', 'utf8'), 'VmHWM');
}
