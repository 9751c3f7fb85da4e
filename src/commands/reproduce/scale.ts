import type { Plan } from '../../run/plan/plan.js';
import { type Carrier, carryProblems } from '../../run/plan/preflight.js';

/** The scales that are tried, from the largest. */
const scales = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

/** The largest scale at which a plan is carried, down to a thousandth; undefined where none is. */
export function fittingScale(planAt: (scale: number) => Plan | undefined, carrier: Carrier): number | undefined {
  return scales.find((scale) => {
    const plan = planAt(scale);
    return plan !== undefined && carryProblems(plan, carrier).length === 0;
  });
}
