/** So many publishes at the head of the schedule, the warm-up among them, tell whether the target takes any at all. */
export const firstPublishes = 10;

/**
 * Out of the live figures of all shards, in words, that each of the first publishes was refused or failed and none was acked since; undefined where the
 * target took one, or may yet.
 */
export function takesNone({ acked = 0, notTaken = 0 }: Readonly<Record<string, number>>): string | undefined {
  return acked === 0 && notTaken >= firstPublishes
    ? `none of the first ${firstPublishes} publishes was acked`
    : undefined;
}
