import { closeSync, openSync, readSync } from 'node:fs';
import { hostNs, nowNs } from '../../measure/rig/clock.js';
import { parseCores } from '../../measure/rig/machine.js';
import { type CoreWaits, tickUs } from '../../measure/waits.js';
import {
  type ProcFiles,
  parseAllowedCores,
  parseChildren,
  parseThreadTimes,
  procFiles,
  unlessGone,
} from './proc-files.js';

/** An open file that is read repeatedly, at a tenth of the cost of opening it each time. */
interface OpenFile {
  read(): string;
  close(): void;
}

/** The part of `/proc` that is read for waits. */
export type WaitFiles = Pick<ProcFiles, 'text' | 'names'> & { open(path: string): OpenFile };

const schedstatBytes = 128;

const waitFiles: WaitFiles = {
  ...procFiles,
  open(path) {
    const fd = openSync(path, 'r');
    const bytes = Buffer.alloc(schedstatBytes);
    return {
      read: () => bytes.toString('latin1', 0, readSync(fd, bytes, 0, schedstatBytes, 0)),
      close: () => closeSync(fd),
    };
  },
};

/** Short enough to tell if a wait fell into a broadcast of some milliseconds. Costs a four-hundredth of a core. */
const readEveryMs = 25;
/** Long compared with the grain of `/proc/stat`. New processes are looked for as often. */
const coresEveryMs = 500;
/** More readings than an hour brings. Beyond it, every other reading is dropped, and they come half as often. */
const readingsAtMost = 2 ** 17;

interface Thread {
  file: OpenFile;
  cpuUs: number;
  waitUs: number;
}

/** Reads many times a second how long the threads of a target's processes ran and waited for a core. Linux only. */
export class CoreWaitWatch {
  readonly #pids: Set<number>;
  readonly #threads = new Map<string, Thread>();
  readonly #waits: CoreWaits;
  readonly #total = { cpuUs: 0, waitUs: 0 };
  #everyMs = readEveryMs;
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;

  /** `zeroMs`: zero of the result's axis, as of `performance.now()`. */
  constructor(
    pid: number,
    zeroMs: number,
    private readonly files: WaitFiles = waitFiles,
    private readonly nowUs: () => number = () => hostNs(nowNs()) / 1000,
  ) {
    this.#pids = new Set([pid]);
    this.#waits = { zeroUs: hostNs(zeroMs * 1e6) / 1000, beganUs: [], endedUs: [], waitUs: [], cpuUs: [], cores: [] };
  }

  start(): this {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.look(), this.#everyMs);
    this.look();
    return this;
  }

  /** Also reads a process that a restart brought. */
  addProcess(pid: number): void {
    this.#pids.add(pid);
  }

  /** Ends with a last reading. Undefined if the kernel does not count waits. Later calls return the same. */
  stop(): CoreWaits | undefined {
    if (this.#timer !== undefined) this.look(true);
    this.#end();
    return this.#hasFailed || this.#waits.cores.length < 2 ? undefined : this.#waits;
  }

  #end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const { file } of this.#threads.values()) file.close();
    this.#threads.clear();
  }

  /** Takes one reading, also of the cores if that is due. The series of the process report a failure. */
  look(isLast = false): void {
    try {
      this.#read(isLast);
    } catch {
      this.#hasFailed = true;
      this.#end();
    }
  }

  #read(isLast: boolean): void {
    const waits = this.#waits;
    const beganUs = this.nowUs();
    const coresAtUs = waits.cores.at(-1)?.atUs ?? Number.NEGATIVE_INFINITY;
    const isCoresDue = isLast || beganUs - coresAtUs >= coresEveryMs * 1000;
    if (isCoresDue) this.#findChildren();
    for (const pid of this.#pids) this.#findThreads(pid);
    for (const [path, thread] of this.#threads) this.#readThread(path, thread);
    waits.beganUs.push(beganUs);
    waits.endedUs.push(this.nowUs());
    waits.waitUs.push(this.#total.waitUs);
    waits.cpuUs.push(this.#total.cpuUs);
    if (isCoresDue) this.#readCores();
    if (waits.beganUs.length >= readingsAtMost) this.#thin();
  }

  #findChildren(): void {
    for (const path of this.#threads.keys()) {
      const children = unlessGone(() => parseChildren(this.files.text(path.replace(/schedstat$/, 'children'))));
      for (const child of children ?? []) this.#pids.add(child);
    }
  }

  #findThreads(pid: number): void {
    const folder = `/proc/${pid}/task`;
    const tids = unlessGone(() => this.files.names(folder));
    if (tids === undefined) this.#pids.delete(pid);
    for (const tid of tids ?? []) {
      const path = `${folder}/${tid}/schedstat`;
      if (this.#threads.has(path)) continue;
      const file = unlessGone(() => this.files.open(path));
      if (file !== undefined) this.#threads.set(path, { file, cpuUs: 0, waitUs: 0 });
    }
  }

  #readThread(path: string, thread: Thread): void {
    const now = unlessGone(() => parseThreadTimes(thread.file.read()));
    if (now === undefined) {
      thread.file.close();
      this.#threads.delete(path);
      return;
    }
    this.#total.cpuUs += Math.max(0, now.cpuUs - thread.cpuUs);
    this.#total.waitUs += Math.max(0, now.waitUs - thread.waitUs);
    Object.assign(thread, now);
  }

  #readCores(): void {
    const [pid] = this.#pids;
    const status = unlessGone(() => this.files.text(`/proc/${pid}/status`));
    // Between the end of a process and the start of the next there is no target.
    if (status === undefined || this.#threads.size === 0) return;
    const allowed = parseAllowedCores(status);
    const cores = parseCores(this.files.text('/proc/stat')).filter(({ core }) => allowed.has(core));
    const inUs = (of: 'busy' | 'stolen'): number => cores.reduce((sum, core) => sum + core[of], 0) * tickUs;
    this.#waits.cores.push({
      atUs: this.nowUs(),
      cores: cores.map(({ core }) => core),
      busyUs: inUs('busy'),
      stolenUs: inUs('stolen'),
      ...this.#total,
    });
  }

  #thin(): void {
    const { beganUs, endedUs, waitUs, cpuUs } = this.#waits;
    for (const column of [beganUs, endedUs, waitUs, cpuUs]) {
      const kept = column.filter((_, at) => at % 2 === 0);
      column.splice(0, column.length, ...kept);
    }
    this.#everyMs *= 2;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.look(), this.#everyMs);
  }
}
