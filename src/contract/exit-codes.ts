/** How a command of Ringside ends, as the shell sees it. The one list. */
export const exitCodes = {
  clean: { code: 0, means: 'the command did what was asked and nothing speaks against its numbers' },
  bug: { code: 1, means: 'a fault of Ringside itself' },
  input: { code: 2, means: 'wrong input, or a check before the run refused it' },
  threshold: { code: 3, means: 'a threshold or baseline was broken' },
  rig: { code: 4, means: 'the rig may have written the numbers, or the run is void' },
  shardLost: { code: 5, means: 'a shard was lost; what the others measured is kept' },
  interrupted: { code: 130, means: 'interrupted; what was measured is kept' },
} as const;

export type ExitName = keyof typeof exitCodes;

/** The gravest of several ends: a bug before wrong input, an interruption before a lost shard, and so on down to clean. */
export function worstExit(names: readonly ExitName[]): ExitName {
  const gravity: readonly ExitName[] = ['bug', 'input', 'interrupted', 'shardLost', 'rig', 'threshold', 'clean'];
  return gravity.find((name) => names.includes(name)) ?? 'clean';
}
