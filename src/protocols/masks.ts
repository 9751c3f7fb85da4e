import { optionsOf } from '../options/option.js';
import { type ClientValues, slotsIn, withSlots } from '../units/slots.js';
import { jsonIn } from '../units/text.js';
import { protocolOptionsOf } from './list.js';
import type { ClientEvents, Protocol, ProtocolValues } from './protocol.js';
import type { Trails, ValueMask } from './trails.js';

/** Shorter words of a header or a query are no secret. */
const leastWord = 4;

/** Returns the masks of a client's secrets in messages: the values of its slots, its secret options, and its query. */
export function masksOf(protocol: Protocol, given: ProtocolValues, url: URL, values: ClientValues): ValueMask[] {
  // A client has its row of the users among its values.
  const { users: _, ...options } = given;
  const secret = optionsOf(protocolOptionsOf(protocol)).flatMap(({ key, isSecret }) => (isSecret ? key : []));
  const query = [...url.searchParams.values()].filter((value) => value.length >= leastWord);
  const texts = [...secret.flatMap((key) => textsIn(options[key])), ...query];
  const hidden = texts
    .map((text) => withSlots(text, values))
    .flatMap((text) => [text, ...wordsIn(text)])
    .filter((text) => text !== values('client'));
  // The braces in a path are encoded.
  const address = url.href.replaceAll(/%7B/gi, '{').replaceAll(/%7D/gi, '}');
  const names = slotsIn(JSON.stringify(options) + address).filter((name) => name !== 'client');
  return [
    ...names.flatMap((name) => formsOf(values(name) ?? '').map((value) => ({ value, shown: `{${name}}` }))),
    ...hidden.flatMap(formsOf).map((value) => ({ value, shown: '{hidden}' })),
  ].sort((one, other) => other.value.length - one.value.length);
}

/** Returns the texts in a value, also inside text that is JSON. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  if (typeof value !== 'string') return [];
  const json = jsonIn(value);
  return typeof json === 'object' && json !== null ? [value, ...textsIn(json)] : [value];
}

/** Returns the words of a header. JSON has none, as its texts are listed already. */
function wordsIn(text: string): string[] {
  if (text.startsWith('{')) return [];
  return text.split(/[\s:;,=]+/).filter((word) => word.length >= leastWord);
}

/** Returns the forms that a value may have in a message. */
function formsOf(value: string): string[] {
  const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
  return value === '' ? [] : [...new Set(forms)];
}

/** Wraps events. They pass through unchanged, and trails record the progress of each client. */
export function trailing(events: ClientEvents, trails: Trails): ClientEvents {
  return {
    ...events,
    opened: (client, ...times) => {
      trails.reached(client, 'opened');
      events.opened(client, ...times);
    },
    ready: (client) => {
      trails.reached(client, 'ready');
      events.ready(client);
    },
    subscribed: (client, stream) => {
      events.subscribed(client, stream);
      trails.settled(client);
    },
    closed: (client, cause, wasOpen) => {
      events.closed(client, cause, wasOpen);
      trails.settled(client);
    },
  };
}
