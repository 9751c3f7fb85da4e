import type { Step, Talk } from '../../measure/talk.js';
import { protocolByName } from '../../protocols/list.js';
import type { RunResult } from '../../results/result.js';
import type { PlannedTarget } from '../server/planned.js';

/** What clients said and heard, with how far those came that failed in words of the protocol. */
export function talkInWords(
  talk: Talk,
  { protocol, protocolOptions = {} }: Pick<PlannedTarget, 'protocol' | 'protocolOptions'>,
): NonNullable<RunResult['talk']> {
  const words: Record<Step, string> = {
    connecting: 'no WebSocket was opened',
    opened: `the WebSocket opened; the handshake of ${protocol} did not end`,
    ready: 'the subscription was asked for; no confirmation came',
    ...protocolByName(protocol)?.stuckAt?.(protocolOptions),
  };
  const examples = Object.entries(talk.examples).map(([cause, example]) => [
    cause,
    { ...example, step: words[example.step] },
  ]);
  return { ...talk, examples: Object.fromEntries(examples) };
}
