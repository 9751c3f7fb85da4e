const withoutWarmUp = 10;

/** Publishes at the head of the schedule that tell whether the target takes any at all: the warm-up, or ten where there is none. */
export function firstPublishes({ warmUp }: { warmUp: number }): number {
  return warmUp || withoutWarmUp;
}

/**
 * Out of the live figures of all shards, in words, that each of the first publishes was refused or failed and none was acked since; undefined where the
 * target took one, or may yet.
 */
export function takesNone(
  options: { warmUp: number },
  { acked = 0, notTaken = 0 }: Readonly<Record<string, number>>,
): string | undefined {
  const first = firstPublishes(options);
  return acked === 0 && notTaken >= first ? `none of the first ${first} publishes was acked` : undefined;
}
