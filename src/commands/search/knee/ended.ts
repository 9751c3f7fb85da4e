import { type ExitName, worstExit } from '../../../contract/exit-codes.js';
import { type ProblemCode, type ProblemError, problemTable } from '../../../contract/problems.js';
import { type StopCode, stopReasons } from '../../../contract/stop-reasons.js';

/** What it means that a shard or a target is refused that earlier runs had. */
const stopOfProblem: Partial<Record<ProblemCode, StopCode>> = {
  shardUnreachable: 'shardLost',
  shardForeign: 'shardLost',
  runnerEnding: 'shardEnded',
  targetFailed: 'restartFailed',
  targetUnavailable: 'restartFailed',
};

/** How a search ends for the shell that a refusal ended after runs were made: a shard that is there no more is lost, a target that can't be started again is no wrong input. */
export function exitOfProblems({ problems }: Pick<ProblemError, 'problems'>): ExitName {
  return worstExit(
    problems.map(({ code }) => {
      const stop = stopOfProblem[code];
      return stop === undefined ? problemTable[code].exit : stopReasons[stop].exit;
    }),
  );
}
