/** The kernel's USER_HZ: times in `/proc` are in hundredths of a second on every architecture that Node runs on. */
const msPerTick = 10;

/** What `/proc/<pid>/stat` says, or the same of one thread (proc_pid_stat(5)). */
export interface ProcStat {
  /** One letter; `Z` and `X` are dead. */
  state: string;
  /** User and system time; of a process with that of its ended threads. */
  cpuMs: number;
  /** When it began, in ticks since the boot: a process is its pid and this. */
  startTicks: number;
}

/** Reads a `stat` line. Throws when it is none. */
export function parseStat(text: string): ProcStat {
  // A command name holds whatever its owner likes, parentheses and spaces included; nothing after the last one does.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', user, system, start] = [fields[0], fields[11], fields[12], fields[19]];
  if (!text.includes(')') || start === undefined) throw unreadable('stat', text);
  return { state, cpuMs: (Number(user) + Number(system)) * msPerTick, startTicks: Number(start) };
}

/** What `status` says of one thread; `rssBytes` is the whole process's, undefined once its memory is gone. */
export interface ProcStatus {
  rssBytes: number | undefined;
  voluntarySwitches: number;
  involuntarySwitches: number;
}

/** Reads `/proc/<pid>/task/<tid>/status`: the switches there are of this thread alone, also in the process's own file. */
export function parseStatus(text: string): ProcStatus {
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1];
  const voluntary = /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(text)?.[1];
  const involuntary = /^nonvoluntary_ctxt_switches:\s+(\d+)$/m.exec(text)?.[1];
  if (voluntary === undefined || involuntary === undefined) throw unreadable('status', text);
  return {
    rssBytes: rss === undefined ? undefined : Number(rss) * 1024,
    voluntarySwitches: Number(voluntary),
    involuntarySwitches: Number(involuntary),
  };
}

/** The process ids in a `children` file. */
export function parseChildren(text: string): number[] {
  return text.split(' ').filter(Boolean).map(Number);
}

/** The proportional set size of `smaps_rollup`, in bytes. */
export function parsePss(text: string): number {
  const pss = /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
  if (pss === undefined) throw unreadable('smaps_rollup', text);
  return Number(pss) * 1024;
}

/** The soft limit of open files in `limits`; Infinity where there is none. */
export function parseDescriptorLimit(text: string): number {
  const soft = /^Max open files\s+(\d+|unlimited)\s/m.exec(text)?.[1];
  if (soft === undefined) throw unreadable('limits', text);
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/** `MemAvailable` of `/proc/meminfo`, in bytes. */
export function parseMemAvailable(text: string): number {
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  if (available === undefined) throw unreadable('meminfo', text);
  return Number(available) * 1024;
}

/** `ListenOverflows` of `/proc/net/netstat`: a line of names, below it one of values. */
export function parseListenOverflows(text: string): number {
  const [names, values] = text.split('\n').filter((line) => line.startsWith('TcpExt: '));
  const value = values?.split(' ')[names?.split(' ').indexOf('ListenOverflows') ?? -1];
  if (value === undefined) throw unreadable('netstat', text);
  return Number(value);
}

/** Ticks of one core since the boot. */
export interface CoreTicks {
  core: string;
  busy: number;
  all: number;
}

/** Each core of `/proc/stat`. */
export function parseCores(text: string): CoreTicks[] {
  return [...text.matchAll(/^(cpu\d+) (.+)$/gm)].map(([, core = '', ticks = '']) => {
    // user nice system idle iowait irq softirq steal; the guest times after them are in user and nice already.
    const counts = ticks.split(' ').map(Number).slice(0, 8);
    const all = counts.reduce((sum, count) => sum + count, 0);
    return { core, busy: all - (counts[3] ?? 0) - (counts[4] ?? 0), all };
  });
}

function unreadable(file: string, text: string): Error {
  return new Error(`${file} has another form than expected: ${JSON.stringify(text.slice(0, 80))}`);
}
