import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { stopReasons } from '../../contract/stop-reasons.js';
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
    ...rows.flatMap(failedExit),
    ...results.map(({ thresholds }) => thresholdsExit(thresholds)),
    ...results.map(({ stop: { code } }) => (code === 'publishesShort' ? stopReasons[code].exit : 'clean')),
    ...(isDoubtful || !(isAnswered({ paired, rows }) || ratioThresholds) ? (['rig'] as const) : []),
    ratioExit({ ratioThresholds }),
  ]);
}

/** How a target ends the comparison that left it: as its last run did, or as it was refused. */
function failedExit({ state, runs }: Ended['rows'][number]): ExitName[] {
  if (state !== 'failed') return [];
  const last = runs.at(-1)?.result.stop.code;
  return [last === undefined || stopReasons[last].isComplete ? 'input' : stopReasons[last].exit];
}

/** Whether it names an order, or targets that are equal; one target alone has none to name. */
function isAnswered({ paired, rows }: Ended): boolean {
  if (rows.length < 2) return true;
  return paired?.withheld.length === 0 && paired.pairs.some(({ holds }) => holds !== 'open');
}
