import { optionsOf } from '../options/option.js';
import { type ClientValues, slotsIn, slotted, withSlots } from '../units/slots.js';
import { jsonIn } from '../units/text.js';
import { protocolOptionsOf } from './list.js';
import type { ClientEvents, Protocol, ProtocolValues } from './protocol.js';
import { leastHiddenPart, Mask, type Trails } from './trails.js';

/** Returns the mask of a client's secrets in messages: the values of its slots, its secret options, and its query. */
export function maskOf(protocol: Protocol, given: ProtocolValues, url: URL, values: ClientValues): Mask {
  // A client has its row of the users among its values.
  const { users: _, ...options } = given;
  const secret = optionsOf(protocolOptionsOf(protocol)).flatMap(({ key, isSecret }) => (isSecret ? key : []));
  const query = [...url.searchParams.values()].filter((value) => value.length >= leastHiddenPart);
  const hidden = [...secret.flatMap((key) => textsIn(options[key])), ...query]
    .map((text) => withSlots(text, values))
    .flatMap((text) => [text, ...wordsIn(text)])
    .filter((text) => text !== values('client'));
  const names = slotsIn(JSON.stringify(options) + slotted(url)).filter((name) => name !== 'client');
  const mask = new Mask();
  for (const name of names) mask.add([values(name) ?? ''], `{${name}}`);
  return mask.add(hidden, '{hidden}');
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
  return text.split(/[\s:;,=]+/).filter((word) => word.length >= leastHiddenPart);
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
