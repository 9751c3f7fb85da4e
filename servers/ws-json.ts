import { objectIn } from '../src/units/text.js';
import { type Broadcast, readBroadcast } from './broadcast.js';

/** Describes a message of a `ws-json` client. All invalid messages are `wrong`. */
export type ClientMessage =
  | { type: 'subscribe'; stream: string }
  | { type: 'unsubscribe'; stream: string }
  | { type: 'whisper'; stream: string }
  | ({ type: 'broadcast' } & Broadcast)
  | { type: 'echo' }
  | { type: 'wrong'; why: string };

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

export function subscribedMessage(stream: string): string {
  return JSON.stringify({ type: 'subscribed', stream });
}

export function errorMessage(why: string): string {
  return JSON.stringify({ type: 'error', message: why });
}

export const binaryMessage = { type: 'wrong', why: 'the message is binary, not text' } as const satisfies ClientMessage;
