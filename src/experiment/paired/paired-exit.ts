import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { stopReasons } from '../../contract/stop-reasons.js';
import type { Comparison } from '../../results/comparison.js';
import { isSure, thresholdsExit } from '../../run/judge/assess.js';
import { ratioExit } from '../compare.js';

type Ended = Pick<Comparison, 'paired' | 'rows' | 'ratioThresholds'>;

/**
 * Returns the exit of a paired comparison. It is clean if the comparison decides something about every target that ran;
 * with `isStrict`, only without a mark.
 */
export function pairedExit({ paired, rows, ratioThresholds }: Ended, isStrict: boolean): ExitName {
  if (!paired) return 'input';
  if (paired.ended === 'interrupted') return 'interrupted';
  const results = rows.flatMap(({ runs }) => runs.map(({ result }) => result));
  const isOpen = isStrict && results.some(({ verdict }) => !isSure(verdict, isStrict));
  return worstOfRuns([
    ...rows.flatMap(failedExit),
    ...results.map(({ thresholds }) => thresholdsExit(thresholds)),
    ...results.map(({ stop: { code } }) => (code === 'publishesShort' ? stopReasons[code].exit : 'clean')),
    ...(isOpen || !(isAnswered({ paired, rows }) || ratioThresholds) ? (['rig'] as const) : []),
    ratioExit({ ratioThresholds }),
  ]);
}

/** Returns the exit of a target that left the comparison: by its last run, or `input` if it was refused. */
function failedExit({ state, runs }: Ended['rows'][number]): ExitName[] {
  if (state !== 'failed') return [];
  const last = runs.at(-1)?.result.stop.code;
  return [last === undefined || stopReasons[last].isComplete ? 'input' : stopReasons[last].exit];
}

/** Returns true if it names an order or equal targets, or if there is only one target, which has nothing to name. */
function isAnswered({ paired, rows }: Ended): boolean {
  if (rows.length < 2) return true;
  return paired?.withheld.length === 0 && paired.pairs.some(({ holds }) => holds !== 'open');
}
