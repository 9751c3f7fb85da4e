import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { targetEnvironment } from '../launch/child.js';
import { namedVersion } from '../launch/programs.js';
import {
  aptCommand,
  type FilledNeed,
  type Filling,
  folderOf,
  isInstalled,
  type Need,
  needsFolder,
  serverFolder,
} from './need.js';

/** A need could not be installed. Nothing of it is left. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
}

/** Returns the command that brings a need, for readers to paste into a shell. */
export function commandOf({ name, system = [], filling }: Need): string {
  if (filling === undefined) return aptCommand(system);
  const folder = folderOf({ name, filling });
  const variables = Object.entries(variablesOf(filling)).map(([variable, value]) => `${variable}=${value}`);
  return `mkdir -p ${folder} && cd ${folder} && ${variables.join(' ')} && ${filling.script}`;
}

function variablesOf({ source }: Filling): Record<string, string> {
  return { NODE: process.execPath, ...(source !== undefined && { SOURCE: serverFolder(source) }) };
}

/**
 * Installs a need beside its place, proves that it runs, and moves it there as the last step. Does nothing if it is
 * there. Its commands write to stderr. Throws `InstallError`; so does `signal`, which ends them and all their children.
 */
export async function install(need: FilledNeed, signal: AbortSignal): Promise<void> {
  if (isInstalled(need)) return;
  const folder = join(needsFolder(), `.${need.name}`);
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  remove();
  mkdirSync(folder, { recursive: true });
  try {
    await fill(need, folder, signal);
    await prove(need, folder);
    renameSync(folder, folderOf(need));
  } finally {
    remove();
  }
}

async function fill({ filling }: FilledNeed, folder: string, signal: AbortSignal): Promise<void> {
  const child = spawn('/bin/sh', ['-ec', filling.script], {
    cwd: folder,
    env: { ...process.env, ...variablesOf(filling) },
    stdio: ['ignore', 2, 2],
    // Its own group: compilers end with the program that started them.
    detached: true,
  });
  const interrupt = (): unknown => child.pid !== undefined && process.kill(-child.pid, 'SIGTERM');
  signal.addEventListener('abort', interrupt, { once: true });
  const end = await new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signalName) => resolve(code === 0 ? '' : (signalName ?? `exit code ${code}`)));
  });
  signal.removeEventListener('abort', interrupt);
  if (signal.aborted) throw new InstallError('interrupted');
  if (end !== '') throw new InstallError(`its commands ended with ${end}; the lines above say why`);
}

async function prove(need: FilledNeed, folder: string): Promise<void> {
  const [command, ...args] = need.proof(folder);
  const proof = await namedVersion(command, args, targetEnvironment(), '');
  if (!proof.isAvailable) throw new InstallError(`it does not run here: ${proof.why}`);
  if (proof.version.includes(need.version)) return;
  throw new InstallError(`expected version ${need.version}, its program is ${proof.version}`);
}
