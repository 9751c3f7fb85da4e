import { objectIn } from '../src/units/text.js';

/** Describes a message of a `shootout` client. Payloads are JSON text. All invalid messages are `wrong`. */
export type ShootoutMessage = { type: 'echo' | 'broadcast'; payload: string } | { type: 'wrong'; why: string };

export function readShootout(text: string): ShootoutMessage {
  return actionIn(text, 'type');
}

export function echoMessage(payload: string): string {
  return `{"type":"echo","payload":${payload}}`;
}

export function broadcastMessage(payload: string): string {
  return `{"type":"broadcast","payload":${payload}}`;
}

/** The sender gets this once its broadcast is out, with the number of listeners if known. */
export function resultMessage(payload: string, listenerCount?: number): string {
  const count = listenerCount === undefined ? '' : `,"listenerCount":${listenerCount}`;
  return `{"type":"broadcastResult","payload":${payload}${count}}`;
}

const identifier = JSON.stringify({ channel: 'BenchmarkChannel' });

/** Describes a message of a `shootout-cable` client. `foreign` asks for another channel. */
export type CableMessage = ShootoutMessage | { type: 'subscribe' } | { type: 'foreign'; identifier: string };

export function readCable(text: string): CableMessage {
  const command = objectIn(text);
  if (command?.command === 'subscribe' && typeof command.identifier === 'string')
    return command.identifier === identifier
      ? { type: 'subscribe' }
      : { type: 'foreign', identifier: command.identifier };
  if (command?.command === 'message' && command.identifier === identifier && typeof command.data === 'string')
    return actionIn(command.data, 'action');
  return { type: 'wrong', why: 'the message is not a known command' };
}

/** The server sends the welcome when a connection opens, and the ping every three seconds. */
export const welcomeMessage = '{"type":"welcome"}';
export const pingMessage = (): string => JSON.stringify({ type: 'ping', message: Math.floor(Date.now() / 1000) });

export const confirmMessage = JSON.stringify({ identifier, type: 'confirm_subscription' });

export function rejectMessage(foreign: string): string {
  return JSON.stringify({ identifier: foreign, type: 'reject_subscription' });
}

export function channelMessage(action: 'echo' | 'broadcast' | 'broadcastResult', payload: string): string {
  return `{"identifier":${JSON.stringify(identifier)},"message":{"action":"${action}","payload":${payload}}}`;
}

function actionIn(text: string, key: 'type' | 'action'): ShootoutMessage {
  const message = objectIn(text);
  if (message === undefined) return { type: 'wrong', why: 'the message is not a JSON object' };
  const type = message[key];
  if (type !== 'echo' && type !== 'broadcast') return { type: 'wrong', why: `the message has no known "${key}"` };
  return { type, payload: JSON.stringify(message.payload ?? null) };
}
