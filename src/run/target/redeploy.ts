import { type Problem, problem } from '../../contract/problems.js';
import type { Disruption, FailedDisruption } from '../../scenarios/scenario.js';
import { duration } from '../../units/duration.js';
import type { Plan } from '../plan/plan.js';
import type { Disrupt } from '../watch.js';
import type { LiveTarget, RestartOrder } from './live-target.js';
import type { TargetObservation } from './observe.js';

/** What a run restarts in its middle: the target, or the application in front of it. */
export interface Redeployment extends RestartOrder {
  application: 'embedded' | 'standalone';
  /** Processes of a standalone application. */
  applicationProcesses: number;
}

/** What the plan's scenario restarts; undefined if nothing. */
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

/** Restarts the target in the middle of a run, and counts what shows it. */
export class TargetRestart implements Disrupt {
  /** Counts that the shards can't know. */
  counts: Readonly<Record<string, number>> = {};
  readonly #disruption: Disruption;
  readonly #options: Record<string, unknown>;
  readonly #order: RestartOrder;
  readonly #target: LiveTarget;
  readonly #observation: TargetObservation;
  readonly #over = new AbortController();

  private constructor(
    disruption: Disruption,
    plan: Plan,
    order: RestartOrder,
    target: LiveTarget,
    observation: TargetObservation,
  ) {
    this.#disruption = disruption;
    this.#options = plan.options;
    this.#order = order;
    this.#target = target;
    this.#observation = observation;
  }

  /** Undefined if the plan's scenario restarts nothing. */
  static of(plan: Plan, target: LiveTarget, observation: TargetObservation): TargetRestart | undefined {
    const order = redeploymentOf(plan);
    const { disruption } = plan.scenario;
    return order && disruption && new TargetRestart(disruption, plan, order, target, observation);
  }

  get gate(): string {
    return this.#disruption.gate;
  }

  async act(): Promise<void> {
    const before = this.#target.sights.pid;
    const orderedMs = performance.now();
    const counted = await this.#target.restart(this.#order, this.#over.signal);
    this.counts = { ...counted, redeployMs: Math.ceil(performance.now() - orderedMs) };
    const { pid } = this.#target.sights;
    if (pid !== undefined && pid !== before && !this.#over.signal.aborted) this.#observation.addProcess(pid);
  }

  failed(counts: Readonly<Record<string, number>>): FailedDisruption | undefined {
    return this.#disruption.failed({ ...counts, ...this.counts }, this.#options);
  }

  /** Ends a restart that is still under way. */
  end(): void {
    this.#over.abort();
  }
}

/** Why a target can't be redeployed with these options. */
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

/** The time of a redeploy's waits alone. */
function leastRedeployMs({ isRolling, pauseMs, downMs }: RestartOrder, processes: number): number {
  return isRolling ? processes * downMs + (processes - 1) * pauseMs : downMs;
}
