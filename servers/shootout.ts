import { objectOf } from './broadcast.js';

/** What a client of the `shootout` protocol can say, payloads as JSON text; `wrong` is anything else. */
export type ShootoutMessage = { type: 'echo' | 'broadcast'; payload: string } | { type: 'wrong'; why: string };

/** Reads one text message of a `shootout` client. */
export function readShootout(text: string): ShootoutMessage {
  return actionIn(text, 'type');
}

/** What the sender of an echo gets. */
export function echoMessage(payload: string): string {
  return `{"type":"echo","payload":${payload}}`;
}

/** What every client gets of a broadcast. */
export function broadcastMessage(payload: string): string {
  return `{"type":"broadcast","payload":${payload}}`;
}

/** What the sender gets once its broadcast is out, with the number of listeners if known. */
export function resultMessage(payload: string, listenerCount?: number): string {
  const count = listenerCount === undefined ? '' : `,"listenerCount":${listenerCount}`;
  return `{"type":"broadcastResult","payload":${payload}${count}}`;
}

const identifier = JSON.stringify({ channel: 'BenchmarkChannel' });

/** What a client of the `shootout-cable` protocol can say; `foreign` asks for another channel. */
export type CableMessage = ShootoutMessage | { type: 'subscribe' } | { type: 'foreign'; identifier: string };

/** Reads one command of a `shootout-cable` client. */
export function readCable(text: string): CableMessage {
  const command = objectOf(text);
  if (command?.command === 'subscribe' && typeof command.identifier === 'string')
    return command.identifier === identifier
      ? { type: 'subscribe' }
      : { type: 'foreign', identifier: command.identifier };
  if (command?.command === 'message' && command.identifier === identifier && typeof command.data === 'string')
    return actionIn(command.data, 'action');
  return { type: 'wrong', why: 'the message is not a known command' };
}

/** Sent when a connection opens, and every three seconds. */
export const welcomeMessage = '{"type":"welcome"}';
export const pingMessage = (): string => JSON.stringify({ type: 'ping', message: Math.floor(Date.now() / 1000) });

/** The confirmation of a subscription. */
export const confirmMessage = JSON.stringify({ identifier, type: 'confirm_subscription' });

/** The refusal of one to a channel that is not there. */
export function rejectMessage(foreign: string): string {
  return JSON.stringify({ identifier: foreign, type: 'reject_subscription' });
}

/** A message of the channel. */
export function channelMessage(action: 'echo' | 'broadcast' | 'broadcastResult', payload: string): string {
  return `{"identifier":${JSON.stringify(identifier)},"message":{"action":"${action}","payload":${payload}}}`;
}

function actionIn(text: string, key: 'type' | 'action'): ShootoutMessage {
  const message = objectOf(text);
  if (message === undefined) return { type: 'wrong', why: 'the message is not a JSON object' };
  const type = message[key];
  if (type !== 'echo' && type !== 'broadcast') return { type: 'wrong', why: `the message has no known "${key}"` };
  return { type, payload: JSON.stringify(message.payload ?? null) };
}
