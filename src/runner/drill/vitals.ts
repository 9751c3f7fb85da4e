import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Vitals } from '../../contract/drill.js';
import { readCores } from '../../measure/rig/cores.js';
import { readProcText } from '../../measure/rig/machine.js';
import { readTcp } from '../../measure/tcp.js';

/** CPU quota of a process in its control groups. Fields are null without a limit, or if it is unknown. */
export interface CpuQuota {
  cores: number | null;
  /** Id of the control group, equal for all processes that share the quota, whatever name they see. */
  group: string | null;
  throttledMs: number | null;
}

const root = '/sys/fs/cgroup';

/** Reads the files of a system. */
interface Files {
  text(path: string): string | undefined;
  /** Returns the inode number of a folder, which is the same in each container. */
  inode(path: string): number;
}

const here: Files = {
  text: (path) => (existsSync(path) ? readProcText(path) : undefined),
  inode: (path) => statSync(path).ino,
};

/** Reads the tightest quota of the control group of this process and of its parents. */
export function readCpuQuota(files: Files = here): CpuQuota {
  const [tightest] = foldersOf(files.text('/proc/self/cgroup') ?? '')
    .flatMap((folder) => {
      const cores = quotaIn(folder, files);
      return cores === null ? [] : [{ folder, cores }];
    })
    .sort((a, b) => a.cores - b.cores);
  if (!tightest) return { cores: null, group: null, throttledMs: null };
  const { folder, cores } = tightest;
  return { cores, group: String(files.inode(folder)), throttledMs: throttledIn(folder, files) };
}

/** Returns the folders of the groups that can limit the CPU, each with its parents. */
function foldersOf(groups: string): string[] {
  return groups.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === undefined || controllers === undefined) return [];
    const isUnified = controllers === '';
    if (!isUnified && !controllers.split(',').includes('cpu')) return [];
    const top = isUnified ? root : `${root}/${controllers}`;
    return upFrom(resolve(`${top}/${path}`), top);
  });
}

/** Returns a folder and its parents, up to `top`. A group outside the namespace of this process reads `/..`. */
function upFrom(folder: string, top: string): string[] {
  return folder.startsWith(`${top}/`) ? [folder, ...upFrom(dirname(folder), top)] : [top];
}

function quotaIn(folder: string, { text }: Files): number | null {
  const [, most, of] = /^(\d+) (\d+)/.exec(text(`${folder}/cpu.max`) ?? '') ?? [];
  if (most !== undefined) return Number(most) / Number(of);
  const quotaUs = Number(text(`${folder}/cpu.cfs_quota_us`) ?? 'none');
  const periodUs = Number(text(`${folder}/cpu.cfs_period_us`) ?? 'none');
  return quotaUs > 0 && periodUs > 0 ? quotaUs / periodUs : null;
}

function throttledIn(folder: string, { text }: Files): number | null {
  const stat = text(`${folder}/cpu.stat`) ?? '';
  const us = /^throttled_usec (\d+)/m.exec(stat)?.[1];
  if (us !== undefined) return Number(us) / 1000;
  const ns = /^throttled_time (\d+)/m.exec(stat)?.[1];
  return ns === undefined ? null : Number(ns) / 1e6;
}

/** Reads the current counters of the machine and of the control group of this process. */
export function readVitals(): Vitals {
  const { cores: quotaCores, group: quotaGroup, throttledMs } = readCpuQuota();
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    cores: allCores(),
    ownCpuMs: (user + system) / 1000,
    quotaCores,
    quotaGroup,
    throttledMs,
    coreWaitMs: coreWaitMs(),
    tcp: readTcp() ?? null,
  };
}

function allCores(): Vitals['cores'] {
  const cores = readCores();
  if (!cores) return null;
  const sum = (of: 'busy' | 'idle' | 'stolen'): number => cores.reduce((all, core) => all + core[of], 0);
  return { busy: sum('busy'), idle: sum('idle'), stolen: sum('stolen') };
}

function coreWaitMs(): number | null {
  const text = process.platform === 'linux' ? readProcText('/proc/self/schedstat') : undefined;
  return text === undefined ? null : Number(text.split(' ')[1]) / 1e6;
}
