import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';

/** How somebody's target is restarted: by a command of this machine's shell, or by an empty POST. */
export type RestartWay = { command: string } | { url: string };

const answerWithinMs = 60_000;
/** What was killed is buried at once, unless it waits for its disk. */
const goneWithinMs = 1000;

/** Has a target restarted by its owner's own means. Rejects with an Error that says what failed; `over` ends a command or a wait that is under way. */
export function restartBrought(way: RestartWay, over: AbortSignal): Promise<void> {
  return 'command' in way ? runCommand(way.command, over) : callWebhook(way.url, over);
}

/** The shell and what it waits for are ended as one group; what it left in the background lives on. */
async function runCommand(command: string, over: AbortSignal): Promise<void> {
  // Results alone go to stdout: both of its streams are our stderr.
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

/** The address may hold a secret: it is never told. */
async function callWebhook(url: string, over: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([over, AbortSignal.timeout(answerWithinMs)]);
  const answer = await request(url, { method: 'POST', signal }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the restart webhook gave no answer: ${error.code ?? error.name}`);
  });
  await answer.body.dump();
  if (answer.statusCode >= 300) throw new Error(`the restart webhook answered HTTP ${answer.statusCode}`);
}
