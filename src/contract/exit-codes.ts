/** Lists the exit codes of Ringside's commands. No other list exists. */
export const exitCodes = {
  clean: { code: 0, means: 'the question was answered; marks may stand at single figures' },
  bug: { code: 1, means: 'a fault of Ringside itself' },
  input: { code: 2, means: 'wrong input, or a check before the run refused it' },
  threshold: { code: 3, means: 'a threshold or baseline was broken, or the target did not take every publish' },
  rig: {
    code: 4,
    means: 'there is no answer: a run is void, another test ran, a threshold is undecided, or the disk took no result',
  },
  shardLost: { code: 5, means: 'a shard was lost or ended early; what was measured is kept' },
  interrupted: { code: 130, means: 'interrupted; what was measured is kept' },
} as const;

export type ExitName = keyof typeof exitCodes;

const stopsAll = ['bug', 'input', 'interrupted', 'shardLost'] as const satisfies readonly ExitName[];

/** Returns the gravest end of one run. An unreliable rig may have broken a threshold. */
export function worstExit(names: readonly ExitName[]): ExitName {
  return gravest([...stopsAll, 'rig', 'threshold'], names);
}

/** Returns the gravest end of several runs. A threshold that one of them broke is broken for sure. */
export function worstOfRuns(ends: readonly ExitName[]): ExitName {
  return gravest([...stopsAll, 'threshold', 'rig'], ends);
}

function gravest(order: readonly ExitName[], names: readonly ExitName[]): ExitName {
  return order.find((name) => names.includes(name)) ?? 'clean';
}
