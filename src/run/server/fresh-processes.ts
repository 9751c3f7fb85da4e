import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problem } from '../../contract/problems.js';
import type { PlannedTarget } from './planned.js';
import { restartExternal } from './restart-external.js';

/** For the command, and for the first connection after it. */
const restartWithinMs = 60_000;
const answersWithinMs = 30_000;
const askAgainAfterMs = 50;

/** Whether each start of a target has processes of its own: a managed one has, an external one if it is restarted. */
export function hasFreshProcesses(target: PlannedTarget): boolean {
  return target.isOurs || target.restart !== undefined;
}

/**
 * Restarts an external target that names how, and waits until it takes connections again; leaves every other one alone.
 * Gives the fault of a target that did not come back.
 */
export async function freshProcesses(target: PlannedTarget, over: AbortSignal): Promise<ProblemError | undefined> {
  if (target.isOurs || !target.restart) return undefined;
  try {
    await restartExternal(target.restart, AbortSignal.any([over, AbortSignal.timeout(restartWithinMs)]));
    await answering(target.wsUrl, over);
    return undefined;
  } catch (error) {
    return new ProblemError([problem('targetFailed', `${target.name}: ${(error as Error).message}`)]);
  }
}

async function answering(wsUrl: string, over: AbortSignal): Promise<void> {
  const { protocol, hostname, port } = new URL(wsUrl);
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'wss:' ? 443 : 80) };
  const untilMs = performance.now() + answersWithinMs;
  let seen = 'no answer';
  while (performance.now() < untilMs && !over.aborted) {
    const fault = await connecting(address);
    if (fault === undefined) return;
    seen = fault;
    await delay(askAgainAfterMs);
  }
  throw new Error(`it took no connection within ${answersWithinMs / 1000} s after its restart: ${seen}`);
}

/** Undefined once a connection is open. */
function connecting(address: { host: string; port: number }): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: answersWithinMs });
    const end = (fault?: string): void => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('timeout'));
    socket.once('error', ({ code, message }: NodeJS.ErrnoException) => end(code ?? message));
  });
}
