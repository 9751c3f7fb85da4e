import { cpSync, type Dirent, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { targetEnvironment } from '../launch/child.js';
import { namedVersion } from '../launch/installed-version.js';
import { fill, InstallError } from './fill.js';
import { type FilledNeed, folderOf, isInstalled, needsFolder } from './need.js';

const lookEveryMs = 2_000;
/** Receives the progress of an install. */
export interface Installing {
  /** Called every two seconds with the size on disk. */
  progress(bytes: number): void;
  signal: AbortSignal;
}

/**
 * Installs a need beside its place, proves that it runs, and moves it there as the last step. Does nothing if it is
 * there. Throws `InstallError`.
 */
export async function install(need: FilledNeed, { progress, signal }: Installing): Promise<void> {
  if (isInstalled(need)) return;
  const folder = join(needsFolder(), `.${need.name}-${process.pid}`);
  sweep(need);
  mkdirSync(folder, { recursive: true });
  const look = setInterval(() => progress(bytesIn(folder)), lookEveryMs);
  try {
    const { copies, waste } = need.filling;
    if (copies !== undefined) cpSync(copies, folder, { recursive: true });
    await fill(need.filling, folder, signal);
    if (waste !== undefined) rmSync(join(folder, waste), { recursive: true, force: true });
    await prove(need, folder);
    moveTo(folder, folderOf(need));
  } finally {
    clearInterval(look);
    // An interrupted program can still be writing its last file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function prove(need: FilledNeed, folder: string): Promise<void> {
  const [command, ...args] = need.proof(folder);
  const proof = await namedVersion(command, args, targetEnvironment(), '');
  if (!proof.isAvailable) throw new InstallError(`it does not run here: ${proof.why}`);
  if (proof.version.includes(need.version)) return;
  throw new InstallError(`expected version ${need.version}, its program is ${proof.version}`);
}

function moveTo(folder: string, place: string): void {
  try {
    renameSync(folder, place);
  } catch (error) {
    // Another process was quicker, with the same pins.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Removes leftovers of killed installs of a need. */
function sweep({ name }: FilledNeed): void {
  for (const each of entriesIn(needsFolder())) {
    const [, pid] = new RegExp(`^\\.${name}-(\\d+)$`).exec(each.name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(needsFolder(), each.name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of entriesIn(folder)) {
    const path = join(folder, entry.name);
    // Files move while this reads them.
    bytes += entry.isDirectory() ? bytesIn(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }
  return bytes;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
