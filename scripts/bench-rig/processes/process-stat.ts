import { readFileSync } from 'node:fs';

/** Linux counts the CPU time of processes in hundredths of a second, whatever its own clock does (USER_HZ). */
const ticksPerSecond = 100;

/** CPU seconds, user and system, of a process in the text of its `/proc/PID/stat` (proc(5)). Throws on anything else. */
export function cpuSecondsIn(stat: string): number {
  // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  if (fields.length < 13 || !Number.isInteger(userTicks + systemTicks))
    throw new Error(`no /proc/PID/stat: ${stat.slice(0, 100)}`);
  return (userTicks + systemTicks) / ticksPerSecond;
}

/** CPU seconds that a running process, without its children, has used. Linux only. */
export function cpuSecondsOf(pid: number): number {
  return cpuSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}
