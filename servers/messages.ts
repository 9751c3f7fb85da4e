import { objectIn } from '../src/units/text.js';
import { type Broadcast, readBroadcast } from './routes.js';

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

/** Describes a message of a `shootout` client. Payloads are JSON text. All invalid messages are `wrong`. */
type ShootoutMessage = { type: 'echo' | 'broadcast'; payload: string } | { type: 'wrong'; why: string };

/** What a message of a client can cause. */
export interface ShootoutActions<Client> {
  say(client: Client, text: string): void;
  /** Sends a payload to everybody. Returns how many heard it, undefined if unknown, or false if it was refused. */
  broadcast(client: Client, payload: string): number | undefined | false;
}

/** Handles a message of a client, without a channel. Its text is undefined if it is binary. */
export function hearShootout<Client>(act: ShootoutActions<Client>, client: Client, text: string | undefined): void {
  const message = text === undefined ? binaryMessage : readShootout(text);
  if (message.type === 'wrong') act.say(client, errorMessage(message.why));
  else if (message.type === 'echo') act.say(client, `{"type":"echo","payload":${message.payload}}`);
  else {
    const heard = act.broadcast(client, message.payload);
    const count = heard === undefined ? '' : `,"listenerCount":${heard}`;
    // The sender gets this once its broadcast is out.
    if (heard !== false) act.say(client, `{"type":"broadcastResult","payload":${message.payload}${count}}`);
  }
}

export function readShootout(text: string): ShootoutMessage {
  return actionIn(text, 'type');
}

export function broadcastMessage(payload: string): string {
  return `{"type":"broadcast","payload":${payload}}`;
}

const identifier = JSON.stringify({ channel: 'BenchmarkChannel' });

/** Describes a message of a `shootout-cable` client. `foreign` asks for another channel. */
type CableMessage = ShootoutMessage | { type: 'subscribe' } | { type: 'foreign'; identifier: string };

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
