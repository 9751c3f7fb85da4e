import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { exitCodes } from '../../contract/exit-codes.js';
import { problemError, resolveOrRefuse } from '../../contract/problems.js';
import { freePort, isPortTaken } from '../../targets/launch/readiness.js';
import { targetByName } from '../../targets/list.js';
import type { Address, Target } from '../../targets/target.js';
import { type CommandSession, plain } from '../command.js';

export const listenOptions = z.strictObject({
  host: z.string().default('127.0.0.1').meta({ flag: 'host', placeholder: 'address', help: 'address to listen on' }),
  port: z.number().int().min(0).max(65_535).default(3000).meta({
    flag: 'port',
    placeholder: 'port',
    help: 'port to listen on; 0 takes a free one',
  }),
});

/** `ringside target NAME`: runs one server under test in the foreground, until a signal ends it. */
export const command = plain({
  arguments: [{ form: '<name>', help: 'a name from `ringside list targets`' }],
  options: listenOptions,
  examples: ['target ws', 'target ws --host 0.0.0.0 --port 3000'],
  async run(session, { args: [name = ''], ...given }) {
    const { host, port } = resolveOrRefuse(listenOptions, given);
    const target = targetByName(name);
    if (!target) throw problemError('unknownName', `there is no target called ${JSON.stringify(name)}`);
    const available = await target.availability();
    if (!available.isAvailable) throw problemError('targetUnavailable', `${name}: ${available.why}`, available.hint);
    return foreground(session, target, { host, port }, given.env);
  },
});

/** Runs a target and passes signals on. Resolves with its exit code. Throws `ProblemError` if it never listens. */
async function foreground(
  { foreground: own, note }: CommandSession,
  target: Target,
  { host, port: asked }: z.output<typeof listenOptions>,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const { name } = target;
  if (asked !== 0 && (await isPortTaken(host, asked)))
    throw problemError('portInUse', `${name}: port ${asked} of ${host} is in use`);
  // Targets with stats keep the contract of servers/README.md, so they print their own address.
  const saysItself = target.endpoints({ host, port: asked }).statsUrl !== undefined;
  const port = asked === 0 && !saysItself ? await freePort(host) : asked;
  const { command, args, env } = target.start({ host, port });
  const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'inherit'], env: { ...environment, ...env } });
  let isSignalled = false;
  own.onSignals((signal) => {
    isSignalled = true;
    child.kill(signal);
  });
  const ended = endOf(child);
  own.pipe(child.stdout);
  const first = await Promise.race([saysItself ? portSaid(child.stdout) : portOpened(host, port), ended]);
  if ('port' in first) {
    const { wsUrl, publishUrl } = target.endpoints({ host, ...first });
    note(`${name}: clients at ${wsUrl}, publishes at POST ${publishUrl}`);
  } else if (!isSignalled) {
    const hint = 'Read its output above.';
    throw problemError('targetFailed', `${name} ended before it listened (${first.why})`, hint);
  }
  return (await ended).exitCode;
}

/** Resolves when the process has ended, or could not start, and its stdout is read. */
function endOf(child: ChildProcess): Promise<{ exitCode: number; why: string }> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ exitCode: exitCodes.input.code, why: message }));
    child.once('close', (code, signal) => {
      const ofSignal = signal === 'SIGINT' ? exitCodes.interrupted.code : exitCodes.bug.code;
      resolve({ exitCode: code ?? ofSignal, why: signal ?? `exit code ${code}` });
    });
  });
}

type Ports = Pick<Address, 'port' | 'ports'>;

function portSaid(stdout: Readable): Promise<Ports> {
  return new Promise((resolve) => {
    createInterface({ input: stdout }).once('line', (line) => {
      const { port, ports } = (JSON.parse(line) as { listening: Ports }).listening;
      resolve({ port, ports });
    });
  });
}

async function portOpened(host: string, port: number): Promise<Ports> {
  while (!(await isPortTaken(host, port))) await delay(lookAgainAfterMs, undefined, { ref: false });
  return { port };
}

const lookAgainAfterMs = 50;
