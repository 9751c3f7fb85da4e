import type { Scenario } from '../contract/catalog.js';
import { type Problem, problem } from '../contract/problems.js';
import type { Plan } from './plan.js';
import type { RestartWay } from './restart-brought.js';
import type { TargetOptions } from './run-options.js';

export type { RestartWay } from './restart-brought.js';

/** How a target that is not ours is restarted: by one thing that its owner gives, and must give where the scenario restarts it. Undefined where it is not, or where `problems` say why. */
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
  nodes: number;
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
    return { signal, isRolling: false, pauseMs: 0, downMs: 0, application: 'embedded', nodes: 1 };
  const redeploy = disruption.redeploy(options);
  const byNature = target.isOurs && target.target.isApart ? 'standalone' : 'embedded';
  return { ...redeploy, signal, application: redeploy.application ?? byNature };
}

/** Why a target can't be redeployed as the options say. */
export function redeployProblems(plan: Pick<Plan, 'scenario' | 'options' | 'target' | 'fleet'>): Problem[] {
  const redeployment = redeploymentOf(plan);
  if (plan.scenario.disruption?.kind !== 'redeployApplication' || !redeployment) return [];
  const { application, nodes, isRolling } = redeployment;
  const { target, fleet } = plan;
  const texts: string[] = [];
  if (target.isOurs && target.target.isApart && application === 'embedded')
    texts.push(`--application: expected standalone, received embedded: no application lives in ${target.name}`);
  if (nodes > 1 && application === 'embedded')
    texts.push(
      `--application-nodes: expected 1, received ${nodes}: the application lives in the target; give --target-processes or --application standalone`,
    );
  if (nodes > 1 && !target.isOurs)
    texts.push(`--application-nodes: expected 1, received ${nodes}: the application of ${target.name} is its owner’s`);
  if (application === 'embedded' && isRolling && fleet.targetProcesses > 1 && target.isOurs && !target.target.canRevive)
    texts.push(`--rollout: expected at-once, received rolling: no process of ${target.name} can be restarted alone`);
  return texts.map((text) => problem('badOption', text));
}
