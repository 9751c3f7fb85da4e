import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Problem, type ProblemError, problem, problemError } from '../../contract/problems.js';
import { isPortTaken } from '../../targets/launch/readiness.js';
import { hostOf } from '../../units/addresses.js';
import { duration } from '../../units/unit.js';
import type { Plan } from '../plan/plan.js';
import type { Disrupt } from '../watch.js';
import type { RestartWay } from './client-values.js';
import type { ObservationUrls, TargetObservation } from './observe.js';
import type { PlannedTarget } from './planned.js';
import { processesOf } from './supervised.js';

/** Covers the command and the first connection after it. */
const restartWithinMs = 60_000;
const acceptsWithinMs = 30_000;
const askAgainAfterMs = 50;
const answerWithinMs = 60_000;
/** A killed process is gone at once, unless it waits for its disk. */
const goneWithinMs = 1000;

/** Restarts an external target. Rejects with the failure; `over` ends the command or the request. */
export function restartExternal(way: RestartWay, over: AbortSignal): Promise<void> {
  return 'command' in way ? runCommand(way.command, over) : callWebhook(way.url, over);
}

/** The shell and the processes that it waits for end as one group; background processes survive. */
async function runCommand(command: string, over: AbortSignal): Promise<void> {
  // Stdout is for results only, so both streams of the command go to our stderr.
  const shell = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 2, 2], detached: true });
  const kill = (): void => {
    if (shell.pid !== undefined && shell.exitCode === null && shell.signalCode === null)
      process.kill(-shell.pid, 'SIGKILL');
  };
  over.addEventListener('abort', kill);
  const overdue = new Promise<string>((resolve) => {
    over.addEventListener('abort', () => void delay(goneWithinMs).then(() => resolve('the restart command stayed')));
  });
  const ended = once(shell, 'exit').then(
    ([code, signal]) => (code === 0 ? undefined : `the restart command ended with ${signal ?? `exit code ${code}`}`),
    (error: Error) => `the restart command could not be run: ${error.message}`,
  );
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

/** Returns true if each start of a target has new processes. */
export function hasFreshProcesses(target: PlannedTarget): boolean {
  return target.isOurs || target.restart !== undefined;
}

/** Restarts an external target that names a restart. Returns the fault of one that does not come back. */
export async function freshProcesses(target: PlannedTarget, over: AbortSignal): Promise<ProblemError | undefined> {
  if (target.isOurs || !target.restart) return undefined;
  try {
    await restartExternal(target.restart, AbortSignal.any([over, AbortSignal.timeout(restartWithinMs)]));
    await untilAccepting(target.wsUrl, over);
    return undefined;
  } catch (error) {
    return problemError('targetFailed', `${target.name}: ${(error as Error).message}`);
  }
}

async function untilAccepting(wsUrl: string, over: AbortSignal): Promise<void> {
  const { protocol, port } = new URL(wsUrl);
  const untilMs = performance.now() + acceptsWithinMs;
  while (performance.now() < untilMs && !over.aborted) {
    if (await isPortTaken(hostOf(wsUrl), Number(port) || (protocol === 'wss:' ? 443 : 80))) return;
    await delay(askAgainAfterMs);
  }
  throw new Error(`it took no connection within ${acceptsWithinMs / 1000} s after its restart`);
}

/** Describes a restart of processes: at once, or one after another with pauses. */
export interface RestartOrder {
  signal: 'SIGTERM' | 'SIGKILL';
  isRolling: boolean;
  pauseMs: number;
  downMs: number;
}

/** What of a target a restart needs. */
export interface Restartable {
  /** Addresses to observe the target. They follow the new process after a restart. */
  readonly sights: ObservationUrls;
  /** Returns counts that prove the restart. Rejects if the target does not come back. `over` ends the wait. */
  restart(order: RestartOrder, over: AbortSignal): Promise<Record<string, number>>;
}

/** Runs actions at once, or in turn until `over` is aborted. Returns the sum of their results. */
export async function inTurn(
  actions: readonly (() => Promise<number>)[],
  { isRolling, pauseMs }: Pick<RestartOrder, 'isRolling' | 'pauseMs'>,
  over: AbortSignal,
): Promise<number> {
  if (!isRolling) return (await Promise.all(actions.map((act) => act()))).reduce((sum, each) => sum + each, 0);
  let total = 0;
  for (const [index, act] of actions.entries()) {
    if (index > 0) await delay(pauseMs, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) break;
    total += await act();
  }
  return total;
}

/** Describes a restart in the middle of a run, of the target or of the application in front of it. */
export interface Redeployment extends RestartOrder {
  application: 'embedded' | 'standalone';
  applicationProcesses: number;
}

type Planned = Pick<Plan, 'scenario' | 'options' | 'target'>;

export function redeploymentOf({ scenario, options, target }: Planned): Redeployment | undefined {
  const { disruption } = scenario;
  if (!disruption) return undefined;
  const signal = disruption.signal(options);
  if (disruption.kind === 'restartTarget')
    return { signal, isRolling: false, pauseMs: 0, downMs: 0, application: 'embedded', applicationProcesses: 1 };
  const { application: asked, applicationProcesses, isRolling, pauseMs, downMs } = disruption.redeploy(options);
  const byNature = target.isOurs && target.target.isApart ? 'standalone' : 'embedded';
  return { signal, isRolling, pauseMs, downMs, application: asked ?? byNature, applicationProcesses };
}

/** Prepares the restart of a target in the middle of a run; undefined for a run without. */
export function targetRestart(
  plan: Plan,
  target: Restartable,
  observation: TargetObservation,
): (Disrupt & { counts(): Readonly<Record<string, number>>; end(): void }) | undefined {
  const order = redeploymentOf(plan);
  const { disruption } = plan.scenario;
  if (!order || !disruption) return undefined;
  const over = new AbortController();
  let counts: Record<string, number> = {};
  return {
    gate: disruption.gate,
    async act() {
      const before = target.sights.pid;
      const orderedMs = performance.now();
      const counted = await target.restart(order, over.signal);
      counts = { ...counted, redeployMs: Math.ceil(performance.now() - orderedMs) };
      const { pid } = target.sights;
      if (pid !== undefined && pid !== before && !over.signal.aborted) observation.addProcess(pid);
    },
    failed: (ofShards) => disruption.failed({ ...ofShards, ...counts }, plan.options),
    /** Counts that prove the restart. The shards can't know them. */
    counts: () => counts,
    end: () => over.abort(),
  };
}

/** Lists the reasons why a target can't be redeployed with these options. */
export function redeployProblems(plan: Planned & Pick<Plan, 'fleet'>): Problem[] {
  const redeployment = redeploymentOf(plan);
  const { disruption } = plan.scenario;
  if (disruption?.kind !== 'redeployApplication' || !redeployment) return [];
  const { application, applicationProcesses, isRolling, pauseMs, downMs } = redeployment;
  const { target } = plan;
  const texts: string[] = [];
  const processes = application === 'standalone' ? applicationProcesses : processesOf(plan);
  const several = `--application-processes: expected 1, received ${applicationProcesses}`;
  if (target.isOurs && target.target.isApart && application === 'embedded')
    texts.push(`--application: expected standalone, received embedded: ${target.name} has no application inside`);
  if (applicationProcesses > 1 && application === 'embedded')
    texts.push(`${several}: the application is inside the target; set --target-processes or --application standalone`);
  if (applicationProcesses > 1 && !target.isOurs)
    texts.push(`${several}: Ringside does not start the application of ${target.name}`);
  if (application === 'embedded' && isRolling && processes > 1 && target.isOurs && !target.target.canRevive)
    texts.push(`--rollout: expected at-once, received rolling: ${target.name} can't restart one process alone`);
  const inTurnMs = isRolling ? processes * downMs + (processes - 1) * pauseMs : downMs;
  const leastMs = target.isOurs ? inTurnMs : 0;
  const { leftMs } = disruption.redeploy(plan.options);
  if (leastMs > 0 && leastMs >= leftMs) {
    const waits = `the waits of --down and --pause for ${processes} process${processes === 1 ? '' : 'es'}`;
    const [least, left] = [duration.print(leastMs), duration.print(Math.round(leftMs))];
    texts.push(`--broadcasts: expected more than ${least} after the restart begins (${waits}), received ${left}`);
  }
  return texts.map((text) => problem('badOption', text));
}
