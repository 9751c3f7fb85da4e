import { fewestProcesses } from '../../targets/target.js';
import type { Plan } from '../plan/plan.js';

/** How many processes the target of a plan is: as many as were asked for, or as few as it can be. */
export function processesOf({ target, fleet }: Pick<Plan, 'target' | 'fleet'>): number {
  return fleet.targetProcesses ?? (target.isOurs ? fewestProcesses(target.target) : 1);
}
