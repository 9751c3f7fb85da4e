import { objectIn } from '../src/units/text.js';
import { type Broadcast, readBroadcast } from './broadcast.js';

/** Describes a message of a `ws-json` client. All invalid messages are `wrong`. */
type ClientMessage =
  | { type: 'subscribe'; stream: string }
  | { type: 'unsubscribe'; stream: string }
  | { type: 'whisper'; stream: string }
  | ({ type: 'broadcast' } & Broadcast)
  | { type: 'echo' }
  | { type: 'wrong'; why: string };

/** What a message of a client can cause. `D` is the form in which a message came, and goes to others unchanged. */
export interface WsJsonActions<Client, D> {
  subscribe(client: Client, stream: string): void;
  unsubscribe(client: Client, stream: string): void;
  say(client: Client, text: string): void;
  echo(client: Client, data: D): void;
  /** Sends to all other subscribers of a stream. */
  whisper(client: Client, stream: string, data: D): void;
  broadcast(client: Client, published: Broadcast): void;
}

/** Handles a message of a client. Its text is undefined if it is binary. */
export function hearWsJson<Client, D>(
  act: WsJsonActions<Client, D>,
  client: Client,
  text: string | undefined,
  data: D,
): void {
  const message = text === undefined ? binaryMessage : readMessage(text);
  if (message.type === 'subscribe') {
    act.subscribe(client, message.stream);
    act.say(client, JSON.stringify({ type: 'subscribed', stream: message.stream }));
  } else if (message.type === 'unsubscribe') act.unsubscribe(client, message.stream);
  else if (message.type === 'echo') act.echo(client, data);
  else if (message.type === 'whisper') act.whisper(client, message.stream, data);
  else if (message.type === 'broadcast') act.broadcast(client, message);
  else act.say(client, errorMessage(message.why));
}

export function readMessage(text: string): ClientMessage {
  const message = objectIn(text);
  if (message === undefined) return { type: 'wrong', why: 'the message is not a JSON object' };
  const { type, stream } = message;
  if (type === 'echo') return { type };
  if (type === 'broadcast') {
    // It has the form of the HTTP request that publishes.
    const read = readBroadcast(text);
    return 'problem' in read ? { type: 'wrong', why: read.problem } : { type, ...read };
  }
  if (type !== 'subscribe' && type !== 'unsubscribe' && type !== 'whisper')
    return { type: 'wrong', why: 'the message has no known "type"' };
  if (typeof stream !== 'string' || stream === '') return { type: 'wrong', why: '"stream" is not a non-empty string' };
  return { type, stream };
}

export function errorMessage(why: string): string {
  return JSON.stringify({ type: 'error', message: why });
}

export const binaryMessage = { type: 'wrong', why: 'the message is binary, not text' } as const satisfies ClientMessage;
