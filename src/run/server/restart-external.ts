import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type Problem, problem } from '../../contract/problems.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { TargetOptions } from '../plan/run-options.js';

/** Restart of an external target: a shell command on this machine, or an empty POST. */
export type RestartWay = { command: string } | { url: string };

const answerWithinMs = 60_000;
/** A killed process is gone at once, unless it waits for its disk. */
const goneWithinMs = 1000;

/** Returns the restart of an external target; undefined without one. Adds faults to `problems`. */
export function restartWay(given: TargetOptions, scenario: Scenario, problems: Problem[]): RestartWay | undefined {
  const { restartCommand: command, restartUrl: url } = given;
  const flags = '--restart-command and --restart-url: expected one of them';
  if (command !== undefined && url !== undefined) problems.push(problem('badOption', `${flags}, received both`));
  if (command !== undefined) return { command };
  if (url !== undefined) return { url };
  if (scenario.disruption)
    problems.push(problem('badOption', `${flags}, as scenario ${scenario.name} restarts the target; received neither`));
  return undefined;
}

/** Restarts an external target. Rejects with the failure; `over` ends the command or the request. */
export function restartExternal(way: RestartWay, over: AbortSignal): Promise<void> {
  return 'command' in way ? runCommand(way.command, over) : callWebhook(way.url, over);
}

/** The shell and the processes that it waits for end as one group; background processes survive. */
async function runCommand(command: string, over: AbortSignal): Promise<void> {
  // Stdout is for results only, so both streams of the command go to our stderr.
  const shell = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 2, 2], detached: true });
  const ended = new Promise<string | undefined>((resolve) => {
    shell.once('error', (error) => resolve(`the restart command could not be run: ${error.message}`));
    shell.once('exit', (code, signal) =>
      resolve(code === 0 ? undefined : `the restart command ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  const kill = (): void => {
    if (shell.pid !== undefined && shell.exitCode === null && shell.signalCode === null)
      process.kill(-shell.pid, 'SIGKILL');
  };
  over.addEventListener('abort', kill);
  const overdue = new Promise<string>((resolve) => {
    over.addEventListener('abort', () => void delay(goneWithinMs).then(() => resolve('the restart command stayed')));
  });
  const failure = await Promise.race([ended, overdue]);
  over.removeEventListener('abort', kill);
  if (failure !== undefined) throw new Error(failure);
}

/** The address may hold a secret, so no message contains it. */
async function callWebhook(url: string, over: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([over, AbortSignal.timeout(answerWithinMs)]);
  const { request } = await import('undici');
  const answer = await request(url, { method: 'POST', signal }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the restart webhook gave no answer: ${error.code ?? error.name}`);
  });
  await answer.body.dump();
  if (answer.statusCode >= 300) throw new Error(`the restart webhook answered HTTP ${answer.statusCode}`);
}
