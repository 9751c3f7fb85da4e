import { type Problem, problem } from '../../contract/problems.js';
import { duration } from '../../units/unit.js';
import type { Plan } from '../plan/plan.js';
import type { Disrupt } from '../watch.js';
import type { LiveTarget, RestartOrder } from './live-target.js';
import type { TargetObservation } from './observe.js';
import { processesOf } from './supervised.js';

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

export interface TargetRestart extends Disrupt {
  /** Counts that prove the restart. The shards can't know them. */
  counts(): Readonly<Record<string, number>>;
  end(): void;
}

export function targetRestart(
  plan: Plan,
  target: LiveTarget,
  observation: TargetObservation,
): TargetRestart | undefined {
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
