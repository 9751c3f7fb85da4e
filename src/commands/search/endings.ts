import { type ExitName, worstExit } from '../../contract/exit-codes.js';
import { type ProblemCode, type ProblemError, problemTable } from '../../contract/problems.js';
import { type StopCode, stopReasons } from '../../contract/stop-reasons.js';

/** Stops that end a search: no other rate would do better. */
export const endings: readonly StopCode[] = ['interrupted', 'shardEnded', 'shardLost', 'rigFault', 'targetUnreachable'];

/** What it means if a shard or target is refused that earlier runs had. */
const stopOfProblem: Partial<Record<ProblemCode, StopCode>> = {
  shardUnreachable: 'shardLost',
  shardForeign: 'shardLost',
  runnerEnding: 'shardEnded',
  targetFailed: 'restartFailed',
  targetUnavailable: 'restartFailed',
};

/** The exit of a search that a refusal ends between two runs. */
export function exitOfProblems({ problems }: Pick<ProblemError, 'problems'>): ExitName {
  const exits = problems.map(({ code }) => {
    const stop = stopOfProblem[code];
    return stop === undefined ? problemTable[code].exit : stopReasons[stop].exit;
  });
  return worstExit(exits);
}
