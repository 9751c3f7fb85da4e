import { readFileSync } from 'node:fs';
import { parseStat, parseStatus } from '../../../src/targets/observe/proc/files.js';

/** CPU seconds, user and system, of a running process, without its children. Linux only. */
export function cpuSecondsOf(pid: number): number {
  return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).cpuMs / 1000;
}

/** Resident memory of a running process. Linux only. */
export function rssBytesOf(pid: number): number {
  const { rssBytes } = parseStatus(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (rssBytes === undefined) throw new Error(`process ${pid} has no memory any more`);
  return rssBytes;
}

/** The most memory that this process had resident. `getrusage` would start at the memory of the parent. Linux only. */
export function peakRssBytes(): number {
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (kibibytes === undefined) throw new Error('no VmHWM in /proc/self/status');
  return Number(kibibytes) * 1024;
}
