import { extendedProtocol, isSigned, plainProtocol, pubsubChannel } from '../../../src/protocols/anycable/session.js';
import { objectIn } from '../../../src/units/text.js';
import type { Dialect, DialectClient } from './dialect.js';

/** Action Cable and anycable-go ping in this interval. */
const pingIntervalMs = 3000;
const epoch = 'metronome';

/** Speaks AnyCable's pub/sub protocol, extended or plain as the client offers. It accepts any signature. */
export const anycableDialect: Dialect = {
  path: '/cable',
  subprotocol: (offered) => [extendedProtocol, plainProtocol].find((known) => offered.has(known)) ?? false,
  greet(client) {
    client.say(JSON.stringify({ type: 'welcome', ...(isExtended(client) && { sid: `session-${client.index}` }) }));
  },
  hear(client, text = '') {
    const { command, identifier, history, data } = objectIn(text) ?? {};
    if (typeof identifier !== 'string') return;
    const stream = streamOf(identifier);
    const form = formOf(client, identifier);
    if (command === 'subscribe') {
      if (stream !== undefined) client.subscribe(stream, form);
      client.say(
        JSON.stringify({ type: stream === undefined ? 'reject_subscription' : 'confirm_subscription', identifier }),
      );
    } else if (command === 'unsubscribe') client.unsubscribe(form);
    else if (command === 'whisper' && stream !== undefined)
      client.whisper(stream, (other) => JSON.stringify({ identifier: identifierIn(other), message: data }));
    if (isExtended(client) && history !== undefined) client.say(JSON.stringify({ type: 'reject_history', identifier }));
  },
  delivery({ stream, value, offset }, form) {
    const position = form.startsWith(extended) ? { stream_id: stream, epoch, offset } : {};
    return JSON.stringify({ identifier: identifierIn(form), message: value, ...position });
  },
  heartbeat: {
    everyMs: pingIntervalMs,
    text: () => JSON.stringify({ type: 'ping', message: Math.floor(Date.now() / 1000) }),
  },
};

const extended = 'x';
const plain = 'p';

function isExtended({ subprotocol }: DialectClient): boolean {
  return subprotocol === extendedProtocol;
}

function formOf(client: DialectClient, identifier: string): string {
  return (isExtended(client) ? extended : plain) + identifier;
}

function identifierIn(form: string): string {
  return form.slice(1);
}

function streamOf(identifier: string): string | undefined {
  const { channel, stream_name: name, signed_stream_name: signed } = objectIn(identifier) ?? {};
  if (channel !== '$pubsub') return undefined;
  if (typeof name === 'string' && name !== '') return name;
  return typeof signed === 'string' && isSigned(signed) ? pubsubChannel.nameOf(signed) : undefined;
}
