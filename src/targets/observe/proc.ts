import { busyShare, type CoreTicks, coresBetween, parseCores, stolenShare } from '../../measure/rig/machine.js';
import type { MetricName } from '../../measure/series.js';
import {
  isGone,
  type ProcFiles,
  parseChildren,
  parseDescriptorLimit,
  parseListenOverflows,
  parseMemAvailable,
  parsePss,
  parseStat,
  parseStatus,
  parseThreadTimes,
  procFiles,
  unlessGone,
} from './proc-files.js';
import { Growth, type ObservationSource, type Reading, reasonOf, type SourceEnding } from './source.js';

/** Walking page tables and naming descriptors delays the target in the kernel, so at most this often. */
const dearEveryMs = 5_000;

interface Look {
  values: Reading[];
  endings: SourceEnding[];
  children: readonly number[];
}

class ObservedProcess {
  #before: Snapshot | undefined;
  #dearAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly files: ProcFiles,
    private readonly pid: number,
  ) {}

  /** Reads the process. Returns undefined if it is gone, even if another has its pid by now. */
  async look(atMs: number): Promise<Look | undefined> {
    const before = this.#before;
    const snapshot = takeSnapshot(this.files, this.pid, atMs);
    if (snapshot === undefined || (before !== undefined && before.startTicks !== snapshot.startTicks)) return undefined;
    this.#before = snapshot;
    const look: Look = {
      values: [
        { name: 'rssBytes', value: snapshot.rssBytes },
        { name: 'threads', value: snapshot.threads.size },
        ...(before === undefined ? [] : readingsBetween(before, snapshot)),
      ],
      endings: [],
      children: snapshot.children,
    };
    const isDearDue = atMs - this.#dearAtMs >= dearEveryMs;
    if (isDearDue) this.#dearAtMs = atMs;
    const folder = `/proc/${this.pid}`;
    try {
      if (before === undefined) await this.#add(look, 'descriptorLimit', () => this.#descriptorLimit());
      await this.#add(look, 'descriptors', () => this.#descriptors(`${folder}/fd`, isDearDue));
      if (isDearDue)
        await this.#add(look, 'pssBytes', async () => parsePss(await this.files.slowText(`${folder}/smaps_rollup`)));
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
    return look;
  }

  /** Adds a value, or why it can't be read: some files only open for the process's owner. */
  async #add(look: Look, name: MetricName, read: () => Promise<number | undefined>): Promise<void> {
    try {
      const value = await read();
      if (value !== undefined) look.values.push({ name, value });
    } catch (error) {
      if (isGone(error)) throw error;
      look.endings.push({ name, because: reasonOf(error) });
    }
  }

  async #descriptorLimit(): Promise<number | undefined> {
    const limit = parseDescriptorLimit(this.files.text(`/proc/${this.pid}/limits`));
    return Number.isFinite(limit) ? limit : undefined;
  }

  async #descriptors(folder: string, isDearDue: boolean): Promise<number | undefined> {
    const size = await this.files.descriptorsBySize(folder);
    if (size > 0) return size;
    return isDearDue ? this.files.descriptorsByName(folder) : undefined;
  }
}

interface ThreadTotals {
  cpuMs: number;
  voluntarySwitches: number;
  involuntarySwitches: number;
  /** Undefined if the kernel does not count it. */
  coreWaitMs: number | undefined;
}

interface Snapshot {
  atMs: number;
  startTicks: number;
  rssBytes: number;
  /** CPU time of all threads, ended ones included. */
  cpuMs: number;
  threads: ReadonlyMap<string, ThreadTotals>;
  children: readonly number[];
}

/** Reads a process. Undefined if it is gone or a zombie. A kernel without `children` files shows no descendants. */
function takeSnapshot(files: ProcFiles, pid: number, atMs: number): Snapshot | undefined {
  const folder = `/proc/${pid}`;
  return unlessGone(() => {
    const { state, cpuMs, startTicks } = parseStat(files.text(`${folder}/stat`));
    const threads = new Map<string, ThreadTotals>();
    const children: number[] = [];
    let rssBytes: number | undefined;
    for (const id of files.names(`${folder}/task`)) {
      const task = `${folder}/task/${id}`;
      // A thread that ended since it was listed is left out.
      const thread = unlessGone(() => ({
        stat: parseStat(files.text(`${task}/stat`)),
        status: parseStatus(files.text(`${task}/status`)),
        coreWaitMs: unlessGone(() => parseThreadTimes(files.text(`${task}/schedstat`)).waitUs / 1000),
      }));
      if (thread === undefined) continue;
      rssBytes ??= thread.status.rssBytes;
      threads.set(id, { ...thread.status, cpuMs: thread.stat.cpuMs, coreWaitMs: thread.coreWaitMs });
      children.push(...(unlessGone(() => parseChildren(files.text(`${task}/children`))) ?? []));
    }
    if (state === 'Z' || state === 'X' || rssBytes === undefined) return undefined;
    return { atMs, startTicks, rssBytes, cpuMs, threads, children };
  });
}

/** Returns the readings between two snapshots. The last work of an ended thread is not seen. */
function readingsBetween(before: Snapshot, after: Snapshot): Reading[] {
  const seconds = (after.atMs - before.atMs) / 1000;
  if (seconds <= 0) return [];
  const grown = (total: keyof ThreadTotals): number[] =>
    [...after.threads].map(([id, thread]) =>
      Math.max(0, (thread[total] ?? 0) - (before.threads.get(id)?.[total] ?? 0)),
    );
  const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
  const isWaitKnown = [...after.threads.values()].some(({ coreWaitMs }) => coreWaitMs !== undefined);
  // Milliseconds of CPU per second are tenths of a percent of a core.
  return [
    { name: 'cpuPercent', value: (after.cpuMs - before.cpuMs) / seconds / 10 },
    { name: 'busiestThreadPercent', value: Math.max(0, ...grown('cpuMs')) / seconds / 10 },
    { name: 'voluntarySwitchesPerSecond', value: sum(grown('voluntarySwitches')) / seconds },
    { name: 'involuntarySwitchesPerSecond', value: sum(grown('involuntarySwitches')) / seconds },
    ...(isWaitKnown ? [{ name: 'coreWaitPercent' as const, value: sum(grown('coreWaitMs')) / seconds / 10 }] : []),
  ];
}

/** Reads a process of this machine and all its descendants from `/proc` (Linux). Each series names its pid. */
export function procSource(pid: number, files: ProcFiles = procFiles): ObservationSource {
  const living = new Map([[pid, new ObservedProcess(files, pid)]]);
  let wasSeen = false;
  return {
    source: 'proc',
    reads: [
      'rssBytes',
      'pssBytes',
      'cpuPercent',
      'busiestThreadPercent',
      'threads',
      'descriptors',
      'descriptorLimit',
      'voluntarySwitchesPerSecond',
      'involuntarySwitchesPerSecond',
      'coreWaitPercent',
    ],
    rarely: { pssBytes: dearEveryMs, descriptors: dearEveryMs, descriptorLimit: Number.POSITIVE_INFINITY },
    async read({ nowMs }) {
      const values: Reading[] = [];
      const endings: SourceEnding[] = [];
      // One stamp for the whole round, so that the points of all processes can be added up.
      const roundAtMs = nowMs();
      // Children found by a reading are added at the end, and so come in the same round.
      for (const [id, observed] of living) {
        const look = await observed.look(nowMs());
        const process = String(id);
        if (look === undefined) {
          living.delete(id);
          endings.push({ process, because: `process ${id} is gone` });
          continue;
        }
        wasSeen = true;
        values.push(...look.values.map((reading) => ({ ...reading, process, atMs: roundAtMs })));
        endings.push(...look.endings.map((ending) => ({ ...ending, process })));
        for (const child of look.children) if (!living.has(child)) living.set(child, new ObservedProcess(files, child));
      }
      if (!wasSeen) throw new Error(`there is no process ${pid} in /proc`);
      return { values, endings };
    },
  };
}

/** Reads this machine's `/proc`: memory left, each core (named by `process`), stolen time, accept queue overflows. */
export function hostSource(files: ProcFiles = procFiles): ObservationSource {
  const overflows = new Growth();
  let coresBefore: CoreTicks[] = [];
  return {
    source: 'proc',
    reads: ['memAvailableBytes', 'coreBusyPercent', 'stolenPercent', 'acceptQueueOverflowsPerSecond'],
    async read({ nowMs }) {
      const atMs = nowMs();
      const values: Reading[] = [
        { name: 'memAvailableBytes', value: parseMemAvailable(files.text('/proc/meminfo')), atMs },
      ];
      const perSecond = overflows.perSecond(parseListenOverflows(files.text('/proc/net/netstat')), atMs);
      if (perSecond !== undefined) values.push({ name: 'acceptQueueOverflowsPerSecond', value: perSecond, atMs });
      const cores = parseCores(files.text('/proc/stat'));
      const since = coresBetween(coresBefore, cores);
      for (const { core, busy, idle } of since) {
        // A core that was away all the time was neither busy nor idle.
        if (busy + idle === 0) continue;
        values.push({ name: 'coreBusyPercent', value: busyShare({ busy, idle }) * 100, process: core, atMs });
      }
      const stolen = stolenShare(since);
      if (stolen !== undefined) values.push({ name: 'stolenPercent', value: stolen * 100, atMs });
      coresBefore = cores;
      return { values, endings: [] };
    },
  };
}
