import type { RunResult } from '../../results/result.js';
import { count } from '../../units/words.js';

/** What clients said and heard, in lines: one of each cause, then the messages that no rule knows. */
export function talkLines({ talk }: Pick<RunResult, 'talk'>): string[] {
  if (talk === undefined) return [];
  const examples = Object.entries(talk.examples).map(([cause, { step, sent, received }]) =>
    [
      `${cause}: ${step}`,
      `first sent ${sent === undefined ? 'nothing' : `\`${sent}\``}`,
      `first received ${received === undefined ? 'nothing' : `\`${received}\``}`,
    ].join('; '),
  );
  if (talk.others === 0) return examples;
  const others = talk.others === 1 ? '1 other message came' : `${count(talk.others)} other messages came, the first`;
  return [...examples, `${others}: \`${talk.firstOther ?? ''}\``];
}
