import { isShort } from '../../contract/stop-reasons.js';
import type { RunResult } from '../../results/result.js';

/** What is said of a run in one word: its verdict or, of a clean one that fell short of its job, `short`. */
export type Said = RunResult['verdict']['rig'] | 'short';

/** What a run is said to be. */
export function saidOf({ verdict: { rig }, stop }: Pick<RunResult, 'verdict' | 'stop'>): Said {
  return rig === 'clean' && isShort(stop.code) ? 'short' : rig;
}

/** What is said of numbers that are not clean. */
export const doubtedInWords = {
  limited: 'the rig or its network may have written these numbers',
  void: 'these numbers stand for nothing',
} as const;

/** What stands above the numbers of a run. */
export const saidInWords: Readonly<Record<Said, string>> = {
  clean: 'clean: nothing shows the rig in these numbers',
  short: 'SHORT: nothing shows the rig in these numbers, but the run fell short of its job',
  limited: `LIMITED: ${doubtedInWords.limited}`,
  void: `VOID: ${doubtedInWords.void}`,
};
