import { type Problem, problem } from '../../contract/problems.js';
import { duration } from '../../units/duration.js';
import type { Plan } from '../plan/plan.js';

/** How what is restarted is ended, and for how long. */
export interface RestartOrder {
  signal: 'SIGTERM' | 'SIGKILL';
  isRolling: boolean;
  pauseMs: number;
  downMs: number;
}

/** What a run restarts in its middle: the target, or the application before it. */
export interface Redeployment extends RestartOrder {
  application: 'embedded' | 'standalone';
  /** Processes of a standalone application. */
  applicationProcesses: number;
}

/** What the plan's scenario has restarted; undefined where that is nothing. */
export function redeploymentOf({
  scenario,
  options,
  target,
}: Pick<Plan, 'scenario' | 'options' | 'target'>): Redeployment | undefined {
  const { disruption } = scenario;
  if (!disruption) return undefined;
  const signal = disruption.signal(options);
  if (disruption.kind === 'restartTarget')
    return { signal, isRolling: false, pauseMs: 0, downMs: 0, application: 'embedded', applicationProcesses: 1 };
  const { application: asked, applicationProcesses, isRolling, pauseMs, downMs } = disruption.redeploy(options);
  const byNature = target.isOurs && target.target.isApart ? 'standalone' : 'embedded';
  return { signal, isRolling, pauseMs, downMs, application: asked ?? byNature, applicationProcesses };
}

/** Why a target can't be redeployed as the options say. */
export function redeployProblems(plan: Pick<Plan, 'scenario' | 'options' | 'target' | 'fleet'>): Problem[] {
  const redeployment = redeploymentOf(plan);
  const { disruption } = plan.scenario;
  if (disruption?.kind !== 'redeployApplication' || !redeployment) return [];
  const { application, applicationProcesses, isRolling } = redeployment;
  const { target, fleet } = plan;
  const texts: string[] = [];
  if (target.isOurs && target.target.isApart && application === 'embedded')
    texts.push(`--application: expected standalone, received embedded: no application lives in ${target.name}`);
  if (applicationProcesses > 1 && application === 'embedded')
    texts.push(
      `--application-processes: expected 1, received ${applicationProcesses}: the application lives in the target; give --target-processes or --application standalone`,
    );
  if (applicationProcesses > 1 && !target.isOurs)
    texts.push(
      `--application-processes: expected 1, received ${applicationProcesses}: the application of ${target.name} is its owner’s`,
    );
  if (application === 'embedded' && isRolling && fleet.targetProcesses > 1 && target.isOurs && !target.target.canRevive)
    texts.push(`--rollout: expected at-once, received rolling: no process of ${target.name} can be restarted alone`);
  const processes = application === 'standalone' ? applicationProcesses : fleet.targetProcesses;
  const leastMs = target.isOurs ? leastRedeployMs(redeployment, processes) : 0;
  const { leftMs } = disruption.redeploy(plan.options);
  if (leastMs > 0 && leastMs >= leftMs)
    texts.push(
      `--broadcasts: expected to go on for more than ${duration.print(leastMs)} after the order, which the waits of --down and --pause alone take of ${processes === 1 ? '1 process' : `${processes} processes`}; received ${duration.print(Math.round(leftMs))}: give more`,
    );
  return texts.map((text) => problem('badOption', text));
}

/** What the waits of a redeploy take, were everything else done at once. */
function leastRedeployMs({ isRolling, pauseMs, downMs }: RestartOrder, processes: number): number {
  return isRolling ? processes * downMs + (processes - 1) * pauseMs : downMs;
}
