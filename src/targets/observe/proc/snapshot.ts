import type { Reading } from '../source.js';
import { isGone, type ProcFiles } from './files.js';
import { parseChildren, parseStat, parseStatus } from './text.js';

interface ThreadTotals {
  cpuMs: number;
  voluntarySwitches: number;
  involuntarySwitches: number;
}

/** What a process has used since it began, at one instant. */
export interface Snapshot {
  atMs: number;
  startTicks: number;
  rssBytes: number;
  /** Of all threads, ended ones included. */
  cpuMs: number;
  /** By thread id. */
  threads: ReadonlyMap<string, ThreadTotals>;
  /** Processes that one of its threads started. */
  children: readonly number[];
}

/** Reads a process; undefined when it is gone, or dead and not yet buried. A kernel without `children` files shows no descendants. */
export function takeSnapshot(files: ProcFiles, pid: number, atMs: number): Snapshot | undefined {
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
      }));
      if (thread === undefined) continue;
      rssBytes ??= thread.status.rssBytes;
      threads.set(id, { ...thread.status, cpuMs: thread.stat.cpuMs });
      children.push(...(unlessGone(() => parseChildren(files.text(`${task}/children`))) ?? []));
    }
    if (state === 'Z' || state === 'X' || rssBytes === undefined) return undefined;
    return { atMs, startTicks, rssBytes, cpuMs, threads, children };
  });
}

/** What a process did between two snapshots. A thread that is new has done all it did in between; what an ended one did last is not seen. */
export function readingsBetween(before: Snapshot, after: Snapshot): Reading[] {
  const seconds = (after.atMs - before.atMs) / 1000;
  if (seconds <= 0) return [];
  const grown = (total: keyof ThreadTotals): number[] =>
    [...after.threads].map(([id, thread]) => Math.max(0, thread[total] - (before.threads.get(id)?.[total] ?? 0)));
  const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
  // Milliseconds of CPU per second are tenths of a percent of a core.
  return [
    { name: 'cpuPercent', value: (after.cpuMs - before.cpuMs) / seconds / 10 },
    { name: 'busiestThreadPercent', value: Math.max(0, ...grown('cpuMs')) / seconds / 10 },
    { name: 'voluntarySwitchesPerSecond', value: sum(grown('voluntarySwitches')) / seconds },
    { name: 'involuntarySwitchesPerSecond', value: sum(grown('involuntarySwitches')) / seconds },
  ];
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
