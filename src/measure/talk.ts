/** How far a client came: to nothing, an open WebSocket, or the end of the protocol's own handshake. */
export const steps = ['connecting', 'opened', 'ready'] as const;

export type Step = (typeof steps)[number];

/** A client that did not come up: its last step, and the beginnings of its first message and the first it got. */
export interface Example {
  step: Step;
  sent?: string | undefined;
  received?: string | undefined;
}

/** What clients said and heard: an example of each cause, and messages that no rule knows. */
export interface Talk {
  examples: Record<string, Example>;
  others: number;
  firstOther?: string | undefined;
}

/** The talk of all of these: the first example of each cause. */
export function talkTogether(all: readonly (Talk | undefined)[]): Talk {
  return all.reduce<Talk>(
    (sum, talk) => ({
      examples: { ...talk?.examples, ...sum.examples },
      others: sum.others + (talk?.others ?? 0),
      ...firstOf(sum.firstOther ?? talk?.firstOther),
    }),
    { examples: {}, others: 0 },
  );
}

/** Whether there is nothing to tell. */
export function isSilent({ examples, others }: Talk): boolean {
  return others === 0 && Object.keys(examples).length === 0;
}

function firstOf(firstOther: string | undefined): Pick<Talk, 'firstOther'> {
  return firstOther === undefined ? {} : { firstOther };
}
