import { type Problem, problem } from '../../contract/problems.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { TargetOptions } from '../plan/run-options.js';
import type { RestartWay } from './restart-brought.js';

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
