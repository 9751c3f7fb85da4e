import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { unlessCode } from '../../units/system.js';

/** The part of `/proc` that observation reads. */
export interface ProcFiles {
  /** Reads a small file synchronously. That takes some 10 µs, a fifth of a detour over the thread pool. */
  text(path: string): string;
  /** Reads a file for which the kernel walks a process's memory. */
  slowText(path: string): Promise<string>;
  names(path: string): string[];
  /** Returns the size of a process's descriptor folder: their number since Linux 6.2, 0 before. */
  descriptorsBySize(path: string): Promise<number>;
  /** Returns the number of names in it, which costs the kernel memory for each. */
  descriptorsByName(path: string): Promise<number>;
}

/** The `/proc` of this machine. */
export const procFiles: ProcFiles = {
  text: (path) => readFileSync(path, 'utf8'),
  slowText: (path) => readFile(path, 'utf8'),
  names: (path) => readdirSync(path),
  descriptorsBySize: async (path) => (await stat(path)).size,
  descriptorsByName: async (path) => (await readdir(path)).length,
};

const goneCodes = ['ENOENT', 'ESRCH'];

/** Returns true if a reading failed because the process or thread is gone. */
export function isGone(error: unknown): boolean {
  return goneCodes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Returns the result of a reading. Undefined if the process or thread is gone. */
export function unlessGone<T>(read: () => T): T | undefined {
  return unlessCode(goneCodes, read);
}

/** The kernel's USER_HZ is 100 on every architecture that Node runs on. */
const msPerTick = 10;

/**
 * Reads `/proc/<pid>/stat` of a process or thread (proc_pid_stat(5)). `Z` and `X` are dead. CPU time includes ended
 * threads. The start, in ticks since the boot, identifies a process together with its pid.
 */
export function parseStat(text: string): { state: string; cpuMs: number; startTicks: number } {
  // A command name can hold parentheses and spaces. Nothing after the last parenthesis does.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', user, system, start] = [fields[0], fields[11], fields[12], fields[19]];
  if (!text.includes(')') || start === undefined) throw unreadable('stat', text);
  return { state, cpuMs: (Number(user) + Number(system)) * msPerTick, startTicks: Number(start) };
}

/** Reads `status` of a thread: its own switches, and the process's memory, undefined once that is gone. */
export function parseStatus(text: string) {
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1];
  return {
    rssBytes: rss === undefined ? undefined : Number(rss) * 1024,
    voluntarySwitches: numberIn('status', text, /^voluntary_ctxt_switches:\s+(\d+)$/m),
    involuntarySwitches: numberIn('status', text, /^nonvoluntary_ctxt_switches:\s+(\d+)$/m),
  };
}

export function parseChildren(text: string): number[] {
  return text.split(' ').filter(Boolean).map(Number);
}

export function parsePss(text: string): number {
  return numberIn('smaps_rollup', text, /^Pss:\s+(\d+) kB$/m) * 1024;
}

/** Returns the soft limit of open files in `limits`, or Infinity if there is none. */
export function parseDescriptorLimit(text: string): number {
  return numberIn('limits', text.replace(/unlimited/g, 'Infinity'), /^Max open files\s+(\d+|Infinity)\s/m);
}

export function parseMemAvailable(text: string): number {
  return numberIn('meminfo', text, /^MemAvailable:\s+(\d+) kB$/m) * 1024;
}

/** Reads `ListenOverflows` of `/proc/net/netstat`: a line of names, below it one of values. */
export function parseListenOverflows(text: string): number {
  const [names, values] = text.split('\n').filter((line) => line.startsWith('TcpExt: '));
  const value = values?.split(' ')[names?.split(' ').indexOf('ListenOverflows') ?? -1];
  if (value === undefined) throw unreadable('netstat', text);
  return Number(value);
}

/** Reads from a `schedstat` how long a thread ran, and was ready to run without a core, in microseconds. */
export function parseThreadTimes(text: string): { cpuUs: number; waitUs: number } {
  const [cpuNs, waitNs] = text.split(' ').map(Number) as [number, number | undefined];
  if (waitNs === undefined || Number.isNaN(cpuNs + waitNs)) throw unreadable('schedstat', text);
  return { cpuUs: cpuNs / 1000, waitUs: waitNs / 1000 };
}

/** Returns the names in `/proc/stat` of the cores in `Cpus_allowed_list` of a `status`: `0-1,3`. */
export function parseAllowedCores(text: string): Set<string> {
  const ranges = /^Cpus_allowed_list:\s+([\d,-]+)$/m.exec(text)?.[1];
  if (ranges === undefined) throw unreadable('status', text);
  const cores = ranges.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => `cpu${first + at}`);
  });
  return new Set(cores);
}

function numberIn(file: string, text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw unreadable(file, text);
  return Number(found);
}

function unreadable(file: string, text: string): Error {
  return new Error(`${file} has an unknown form: ${JSON.stringify(text.slice(0, 80))}`);
}
