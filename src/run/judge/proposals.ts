import { type StopCode, stopReasons } from '../../contract/stop-reasons.js';
import type { Step, Talk } from '../../measure/causes.js';
import { protocolByName } from '../../protocols/list.js';
import type { RunResult } from '../../results/result.js';
import type { PlannedTarget } from '../server/planned.js';

export interface Heard {
  code: StopCode;
  cause: string | undefined;
  protocol: string;
  talk: Talk;
}

interface Proposal {
  /** Matches a message received by a client that failed, or one to an open client that fits no rule. */
  seen: RegExp;
  from: 'failed' | 'other';
  /** Protocols that the proposal covers; `but` excludes protocols. */
  of?: readonly string[];
  but?: readonly string[];
  cause?: string;
  says: string;
}

const cables = ['actioncable', 'anycable', 'rails', 'rails-anycable', 'shootout-cable'];
const describing = 'describe its messages: `ringside init target > target.yml`, then --target-file target.yml';

const proposals: readonly Proposal[] = [
  {
    seen: /^0\{"sid":/,
    from: 'failed',
    but: ['socketio'],
    says: 'the server speaks Socket.IO: try --protocol socketio',
  },
  {
    seen: /^HTTP\/\d\.\d 400 .*(Transport unknown|Unsupported protocol version|Session ID unknown|\{"code":\d)/,
    from: 'failed',
    but: ['socketio'],
    says: 'Engine.IO answers there: try --protocol socketio',
  },
  {
    seen: /^\{"type":"welcome"/,
    from: 'failed',
    but: cables,
    says: 'the server speaks Action Cable: try --protocol actioncable, anycable or rails',
  },
  {
    seen: /^\{"event":"pusher:connection_established"/,
    from: 'failed',
    but: ['pusher'],
    says: 'the server speaks the Pusher protocol: try --protocol pusher',
  },
  {
    seen: /^42(?:\/[^,]*,)?\d*\["([^"\\]+)"/,
    from: 'other',
    of: ['socketio'],
    says: 'broadcasts came as another event: try --socketio-event $1',
  },
  {
    seen: /^4[0-4]/,
    from: 'failed',
    of: ['socketio'],
    says: 'the server must acknowledge the event `join`; if it has events of its own, describe them in a target file',
  },
  {
    seen: /^/,
    from: 'failed',
    cause: 'subscribe-timeout',
    of: ['raw'],
    says: 'the server answers no ping frame: name its --protocol, which proves clients otherwise',
  },
  {
    seen: /^(?!HTTP\/)./s,
    from: 'failed',
    of: ['messages'],
    says: 'no message had the text that is awaited: `ringside try FILE` shows all that come',
  },
  {
    seen: /./s,
    from: 'other',
    of: ['messages'],
    says: 'messages came without the data that was sent: if the server changes it, use {n} and `match`',
  },
  { seen: /^(?!HTTP\/)./s, from: 'failed', but: ['raw'], says: `the server speaks otherwise: ${describing}` },
  { seen: /./s, from: 'other', but: ['raw'], says: `messages of another form came: ${describing}` },
];

/** Returns the command that would work, if the received messages show it. */
export function proposalFor({ code, cause, protocol, talk }: Heard): string | undefined {
  if (stopReasons[code].isComplete || stopReasons[code].isPart) return undefined;
  const ofCause = cause === undefined ? undefined : talk.examples[cause]?.received;
  const received = { failed: ofCause, other: talk.firstOther };
  for (const { seen, from, cause: only = cause, of, but, says } of proposals) {
    const isAbout = only === cause && (of?.includes(protocol) ?? true) && !but?.includes(protocol);
    const found = isAbout ? seen.exec(received[from] ?? '') : null;
    if (found) return says.replace('$1', () => found[1] ?? '');
  }
  return undefined;
}

/** Returns the messages of the clients. For each failed one, names the last step in words of the protocol. */
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
