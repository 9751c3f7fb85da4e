import { type Problem, problem } from '../../contract/problems.js';
import { runtimes } from '../../targets/runtimes.js';
import type { PlannedTarget } from './planned.js';

/** Puts the planned targets that run on Node on the runtime of that name. At least one of them must. */
export function giveRuntime(planned: readonly PlannedTarget[], name: string | undefined, problems: Problem[]): void {
  const runtime = runtimes.find((each) => each.name === name);
  if (!runtime) return;
  let isTaken = false;
  for (const each of planned) {
    if (!each.isOurs || !each.target.on) continue;
    each.target = each.target.on(runtime);
    isTaken = true;
  }
  const names = planned.map((each) => each.name).join(', ');
  if (!isTaken)
    problems.push(problem('badOption', `--target-runtime: expected a managed target on Node, received ${names}`));
}
