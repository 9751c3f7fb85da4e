import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';

/** The part of `/proc` that observation reads. */
export interface ProcFiles {
  /** A small file, read at once: the kernel makes it up from memory in some 10 µs, a fifth of what a detour over the thread pool costs. */
  text(path: string): string;
  /** A file for which the kernel walks a process's memory. */
  slowText(path: string): Promise<string>;
  names(path: string): string[];
  /** The size that the folder of a process's descriptors has, which is their number from Linux 6.2 on and 0 before. */
  descriptorsBySize(path: string): Promise<number>;
  /** The number of names in it: dear for the kernel, which keeps memory for each. */
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

/** Whether a reading failed because the process or thread is not there any more. */
export function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ESRCH';
}
