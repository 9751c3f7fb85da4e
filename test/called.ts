import { Command } from 'commander';
import { vi } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { define } from '../src/cli/define.js';
import { reportFailure } from '../src/cli/terminal/output.js';
import type { Problem } from '../src/contract/problems.js';
import { asJson, problemsIn } from './refusal.js';

/** How a command ended that was called in this process. */
export interface Called {
  code: number;
  stdout: string;
  stderr: string;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls a command that starts no process, without one of its own. Its problems are a JSON document on stdout. One call
 * at a time: the outlets are those of this process.
 */
export async function called([name, ...args]: readonly string[], env: Record<string, string> = {}): Promise<Called> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((outlet) =>
    vi.spyOn(process[outlet], 'write').mockImplementation((text) => {
      written[outlet] += String(text);
      return true;
    }),
  );
  const listeners = signals.map((signal) => process.listeners(signal));
  const outlets = [process.stdout, process.stderr];
  const heard = new Set(outlets.flatMap(listenersOf));
  const variables = Object.entries({ ...asJson, ...env });
  for (const [variable, value] of variables) process.env[variable] = value;
  const { argv } = process;
  process.argv = ['node', 'ringside', ...[name, ...args].map(String)];
  try {
    const command = new Command(name).exitOverride();
    const entry = commands.find((each) => each.name === name);
    if (!entry) throw new Error(`there is no command ${name}`);
    const { command: data } = await entry.load();
    await define(command, data);
    await command.parseAsync(args, { from: 'user' }).catch(reportFailure);
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    process.exitCode = undefined;
    process.argv = argv;
    for (const [variable] of variables) delete process.env[variable];
    for (const spy of spies) spy.mockRestore();
    signals.forEach((signal, n) => {
      const added = process.listeners(signal).filter((each) => !listeners[n]?.includes(each));
      for (const listener of added) process.off(signal, listener);
    });
    for (const outlet of outlets)
      for (const name of outlet.eventNames())
        for (const listener of outlet.rawListeners(name) as (() => void)[])
          if (!heard.has(listener)) outlet.off(name, listener);
  }
}

function listenersOf(outlet: NodeJS.WriteStream): unknown[] {
  return outlet.eventNames().flatMap((name) => outlet.rawListeners(name));
}

/** The problems of a command that is called in this process and refuses its input. */
export async function refusedCall(...args: string[]): Promise<Problem[]> {
  const { code, ...ended } = await called(args);
  if (code !== 2) throw new Error(`it ended with ${code}: ${JSON.stringify(ended)}`);
  return problemsIn(ended);
}
