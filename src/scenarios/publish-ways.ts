/** How broadcasts reach the target: by one POST each, said by clients, or made by the target itself. The kinds of `--publish`. */
export const publishWays = ['http', 'clients', 'in-process'] as const;

export type PublishWay = (typeof publishWays)[number];

/** How the broadcasts of a scenario with these options reach the target; undefined where it makes none. */
export function publishWayOf<O>(
  { publishes, publishWay }: { publishes: boolean; publishWay?(options: O): PublishWay },
  options: O,
): PublishWay | undefined {
  return publishes ? (publishWay?.(options) ?? 'http') : undefined;
}
