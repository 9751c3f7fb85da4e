import type { Comparison } from '../../results/comparison.js';
import { clientKinds } from '../../run/catalog.js';
import type { Plan } from '../../run/plan/plan.js';
import { type CompareContext, compare } from '../compare/compare.js';

/** The same load through the lean wire session and through the protocol's real library, interleaved; each row is named by its clients. */
export function bracket(
  plan: Plan,
  repeat: number,
  context: CompareContext,
): Promise<{ comparison: Comparison; directory: string }> {
  const entrants = clientKinds.map((client) => ({ plan: { ...plan, load: { ...plan.load, client } }, label: client }));
  return compare(entrants, repeat, context);
}
