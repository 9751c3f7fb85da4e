import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import type { Comparison } from '../../results/comparison.js';
import { isSure, thresholdsExit } from '../../run/judge/assess.js';
import { ratioExit } from './ratios.js';

type Ended = Pick<Comparison, 'paired' | 'rows' | 'ratioThresholds'>;

/** How a paired comparison ends: clean if it states something about every target that ran, strictly without a mark. */
export function pairedExit({ paired, rows, ratioThresholds }: Ended, isStrict: boolean): ExitName {
  if (!paired) return 'input';
  if (paired.ended === 'interrupted') return 'interrupted';
  const results = rows.flatMap(({ runs }) => runs.map(({ result }) => result));
  const isDoubtful = isStrict && results.some(({ verdict }) => !isSure(verdict, isStrict));
  return worstOfRuns([
    ...(rows.some(({ state }) => state === 'failed') ? (['input'] as const) : []),
    ...results.map(({ thresholds }) => thresholdsExit(thresholds)),
    ...(isDoubtful || !(isAnswered({ paired, rows }) || ratioThresholds) ? (['rig'] as const) : []),
    ratioExit({ ratioThresholds }),
  ]);
}

/** Whether it names an order, or targets that are equal; one target alone has none to name. */
function isAnswered({ paired, rows }: Ended): boolean {
  if (rows.length < 2) return true;
  return paired?.withheld.length === 0 && paired.pairs.some(({ conclusion }) => conclusion !== 'open');
}
