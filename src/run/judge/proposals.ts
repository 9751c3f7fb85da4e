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

/** What a client heard: `failed` is the last message before its failure, `other` a message that fits no rule. */
interface Proposal {
  from: 'failed' | 'other';
  seen: RegExp;
  /** Leaves out these protocols, or all but these. */
  but?: readonly string[];
  of?: readonly string[];
  says: string;
}

const cables = ['actioncable', 'anycable', 'rails', 'rails-anycable', 'shootout-cable'];
const describing = 'describe its messages: `ringside init target > target.yml`, then --target-file target.yml';
const socketio = 'the server speaks Socket.IO: try --protocol socketio';
const cable = 'the server speaks Action Cable: try --protocol actioncable, anycable or rails';
const pusher = 'the server speaks the Pusher protocol: try --protocol pusher';
const event = 'broadcasts came as another event: try --socketio-event $1';
const awaited = 'no message had the text that is awaited: `ringside try FILE` shows all that come';
const changed = 'messages came without the data that was sent: if the server changes it, use {n} and `match`';
const ping = 'the server answers no ping frame: name its --protocol, which proves clients otherwise';

const proposals: readonly Proposal[] = [
  { from: 'failed', seen: /^0\{"sid":/, but: ['socketio'], says: socketio },
  { from: 'failed', seen: /^HTTP\/\S+ 400 .*(Transport unknown|\{"code":\d)/, but: ['socketio'], says: socketio },
  { from: 'failed', seen: /^\{"type":"welcome"/, but: cables, says: cable },
  { from: 'failed', seen: /^\{"event":"pusher:connection_established"/, but: ['pusher'], says: pusher },
  { from: 'other', seen: /^42(?:\/[^,]*,)?\d*\["([^"\\]+)"/, of: ['socketio'], says: event },
  { from: 'failed', seen: /^$/, of: ['raw'], says: ping },
  { from: 'failed', seen: /^(?!HTTP\/)./s, of: ['messages'], says: awaited },
  { from: 'other', seen: /./s, of: ['messages'], says: changed },
  { from: 'failed', seen: /^(?!HTTP\/)./s, but: ['raw'], says: `the server speaks otherwise: ${describing}` },
  { from: 'other', seen: /./s, but: ['raw'], says: `messages of another form came: ${describing}` },
];

/** Returns the command that would work, if the received messages show it. */
export function proposalFor({ code, cause, protocol, talk }: Heard): string | undefined {
  if (stopReasons[code].isComplete || stopReasons[code].isPart) return undefined;
  const example = cause === undefined ? undefined : talk.examples[cause];
  const received = { failed: example && (example.received ?? ''), other: talk.firstOther };
  for (const { seen, from, of, but, says } of proposals) {
    const isAbout = (of?.includes(protocol) ?? true) && !but?.includes(protocol);
    const found = isAbout && received[from] !== undefined && seen.exec(received[from]);
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
