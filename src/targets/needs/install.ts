import { spawn } from 'node:child_process';
import { cpSync, type Dirent, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { longestSentence, outsideText } from '../../units/outside-text.js';
import { targetEnvironment } from '../launch/child.js';
import { installedVersion } from '../launch/installed-version.js';
import { onPath } from '../launch/on-path.js';
import type { Need } from './need.js';
import { folderOf, isInstalled, needsFolder, pinsOf } from './place.js';

const lookEveryMs = 2_000;
const headLines = 5;

/** A need could not be installed; nothing of it is left. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
}

/** What `npm` is given: exactly what the lock file names, checked by its integrity, without scripts of packages. */
const npmArgs = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--omit=dev', '--no-audit', '--no-fund'];

/** The command that fills the folder of a need, for readers. */
export function commandOf(need: Pick<Need, 'name'>, folder = folderOf(need)): string {
  return ['npm', ...npmArgs, '--prefix', folder].join(' ');
}

/** What is told while a need is installed. */
export interface Installing {
  /** Called every two seconds with what is on disk. */
  progress(bytes: number): void;
  signal: AbortSignal;
}

/**
 * Installs a need beside its place, proves that it runs, and moves it there as the last step. Does
 * nothing if it is there. Throws `InstallError`.
 */
export async function install(need: Need, { progress, signal }: Installing): Promise<void> {
  if (isInstalled(need)) return;
  const folder = join(needsFolder(), `.${need.name}-${process.pid}`);
  sweep(need);
  mkdirSync(folder, { recursive: true });
  const look = setInterval(() => progress(bytesIn(folder)), lookEveryMs);
  try {
    cpSync(pinsOf(need), folder, { recursive: true });
    await fill(folder, signal);
    await prove(need, folder);
    moveTo(folder, folderOf(need));
  } finally {
    clearInterval(look);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `npm`, with the Node that runs Ringside: packages choose binaries by it. */
async function fill(folder: string, signal: AbortSignal): Promise<void> {
  const path = [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
  const child = spawn(onPath('npm') ?? 'npm', [...npmArgs, '--prefix', folder], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += String(chunk);
  });
  const end = await new Promise<string>((resolve) => {
    // One that could not start has no end; one that is ended writes until it is gone.
    child.once('error', ({ message }) => child.pid === undefined && resolve(message));
    child.once('close', (code, name) => resolve(code === 0 ? '' : (name ?? `exit code ${code}`)));
  });
  if (signal.aborted) throw new InstallError('interrupted');
  const errors = log.split('\n').filter((line) => line.startsWith('npm error'));
  if (end !== '')
    throw new InstallError(outsideText([`npm: ${end}`, ...errors.slice(0, headLines)].join(' '), longestSentence));
}

async function prove(need: Need, folder: string): Promise<void> {
  const [command, ...args] = need.proof(folder);
  const proof = await installedVersion(command, args, targetEnvironment(), '');
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

/** Removes what installs of a need left behind that were killed. */
function sweep({ name }: Need): void {
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
    // npm moves files while this looks.
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
