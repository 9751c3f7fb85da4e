/** So many publishes at the head of the schedule, the warm-up among them, tell whether the target takes any at all. */
export const firstPublishes = 10;

/** Says that each of the first publishes failed and none was acked since, from the live figures of all shards. */
export function takesNone({ acked = 0, notTaken = 0 }: Readonly<Record<string, number>>): string | undefined {
  return acked === 0 && notTaken >= firstPublishes
    ? `none of the first ${firstPublishes} publishes was acked`
    : undefined;
}
