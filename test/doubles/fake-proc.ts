import type { ProcFiles } from '../../src/targets/observe/proc-files.js';

interface FakeThread {
  ticks: number;
  voluntary?: number;
  involuntary?: number;
  children?: string;
  /** How long it waited for a core; left out, the kernel does not count it. */
  waitedNs?: number;
  ranNs?: number;
}

/** One process of a fake `/proc`; the first thread bears its pid. */
export interface FakeProcess {
  state?: string;
  startTicks?: number;
  rssKb?: number;
  pssKb?: number;
  descriptors?: number;
  limit?: string;
  /** CPU of the whole process; that of its threads when left out. */
  ticks?: number;
  threads: Record<string, FakeThread>;
}

/** A `/proc` for tests: processes by pid, and other files by path. What is missing fails as in the kernel. */
export class FakeProc implements ProcFiles {
  readonly processes = new Map<number, FakeProcess>();
  readonly others = new Map<string, string>();
  /** Files that may not be read. */
  readonly forbidden = new Set<string>();
  /** Files that are kept open. */
  readonly opened = new Set<string>();
  /** Every dear reading, in order. */
  readonly dear: string[] = [];
  /** Whether the kernel tells the number of descriptors as the size of their folder. */
  hasDescriptorSize = true;

  text(path: string): string {
    if (this.forbidden.has(path)) throw failure('EACCES', path);
    const [, , pid = '', ...rest] = path.split('/');
    const found = this.others.get(path) ?? fileOf(this.processes.get(Number(pid)), pid, rest);
    if (found === undefined) throw failure('ENOENT', path);
    return found;
  }

  /** A file that is read again and again. */
  open(path: string): { read(): string; close(): void } {
    this.text(path);
    this.opened.add(path);
    return { read: () => this.text(path), close: () => void this.opened.delete(path) };
  }

  async slowText(path: string): Promise<string> {
    this.dear.push(path);
    return this.text(path);
  }

  names(path: string): string[] {
    return Object.keys(this.#process(path).threads);
  }

  async descriptorsBySize(path: string): Promise<number> {
    const { descriptors = 0 } = this.#process(path);
    return this.hasDescriptorSize ? descriptors : 0;
  }

  async descriptorsByName(path: string): Promise<number> {
    this.dear.push(path);
    return this.#process(path).descriptors ?? 0;
  }

  #process(path: string): FakeProcess {
    const found = this.processes.get(Number(path.split('/')[2]));
    if (found === undefined) throw failure('ENOENT', path);
    return found;
  }
}

function fileOf(of: FakeProcess | undefined, pid: string, [file, tid = '', threadFile]: string[]): string | undefined {
  if (of === undefined) return undefined;
  const all = Object.values(of.threads).reduce((sum, { ticks }) => sum + ticks, 0);
  if (file === 'stat') return statLine(pid, of, of.ticks ?? all);
  if (file === 'smaps_rollup') return `Pss:  ${of.pssKb ?? 0} kB\n`;
  if (file === 'limits') return `Max open files            ${of.limit ?? 1009}   4096   files\n`;
  const thread = of.threads[tid];
  if (file !== 'task' || thread === undefined) return undefined;
  if (threadFile === 'stat') return statLine(tid, of, thread.ticks);
  if (threadFile === 'children') return thread.children;
  if (threadFile === 'schedstat')
    return thread.waitedNs === undefined ? undefined : `${thread.ranNs ?? 7} ${thread.waitedNs} 7\n`;
  const memory = of.rssKb === undefined ? '' : `VmRSS:\t${of.rssKb} kB\n`;
  const { voluntary = 0, involuntary = 0 } = thread;
  return `${memory}voluntary_ctxt_switches:\t${voluntary}\nnonvoluntary_ctxt_switches:\t${involuntary}\n`;
}

function statLine(id: string, { state = 'S', startTicks = 7 }: FakeProcess, ticks: number): string {
  return `${id} (a server) ${state} 1 1 1 0 -1 0 0 0 0 0 ${ticks} 0 0 0 20 0 1 0 ${startTicks} 0\n`;
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
