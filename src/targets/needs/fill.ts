import { spawn } from 'node:child_process';
import { longestSentence, outsideText } from '../../units/text.js';
import { onPath } from '../launch/on-path.js';
import { aptCommand, packagesOf } from './lack.js';
import { type Filling, folderOf, type Need } from './need.js';

const headLines = 5;

/** A need could not be installed. Nothing of it is left. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
}

/** Returns the command that brings a need, for readers to paste into a shell. */
export function commandOf(need: Need): string {
  if (need.filling === undefined) return aptCommand(packagesOf(need.system));
  const { words, directory } = need.filling.command(folderOf(need));
  const text = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)).join(' ');
  return directory === undefined ? text : `cd ${directory} && ${text}`;
}

/** Runs that command. Throws `InstallError` if it fails. `signal` ends it and all its children, which also throws. */
export async function fill(filling: Filling, folder: string, signal: AbortSignal): Promise<void> {
  const { words, directory = folder, environment = {} } = filling.command(folder);
  const [name, ...args] = words;
  const child = spawn(onPath(name) ?? name, args, {
    cwd: directory,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its own group: compilers end with the program that started them.
    detached: true,
  });
  const interrupt = (): unknown => child.pid !== undefined && process.kill(-child.pid, 'SIGTERM');
  signal.addEventListener('abort', interrupt, { once: true });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += String(chunk);
  });
  const end = await new Promise<string>((resolve) => {
    // A command that could not start has no `close` event. One that is killed writes until it is gone.
    child.once('error', ({ message }) => child.pid === undefined && resolve(message));
    child.once('close', (code, signalName) => resolve(code === 0 ? '' : (signalName ?? `exit code ${code}`)));
  });
  signal.removeEventListener('abort', interrupt);
  if (signal.aborted) throw new InstallError('interrupted');
  if (end !== '') throw new InstallError(outsideText([`${name}: ${end}`, ...errorsIn(log)].join(' '), longestSentence));
}

/** Returns the lines that the program calls errors, or its last lines. */
function errorsIn(log: string): string[] {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => /^(npm error|error|E:)/.test(line));
  return errors.length > 0 ? errors.slice(0, headLines) : lines.slice(-headLines);
}
