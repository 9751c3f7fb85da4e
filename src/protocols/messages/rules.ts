import { units } from '../../units/unit.js';
import type { Reply } from '../../wire/wire.js';
import type { Marker, Protocol } from '../protocol.js';
import { type Description, type Heartbeat, several } from './description.js';
import { numberOfSend, sendSlots, Template, type Written } from './template.js';

/** A description, read once for all clients. */
export interface Rules {
  hello: readonly Template[];
  ready: Template | undefined;
  refused: readonly Template[];
  subscribe: { send: Template | undefined; confirmed: Template } | undefined;
  publish: Template | undefined;
  whisper: Template | undefined;
  echo: Template | undefined;
  /** Text of the answers to echoes, if they come in order and do not identify their sends. An empty one fits all. */
  answer: Template | undefined;
  /** True if answers to publishes come in order, as they do not identify them. */
  isAckedInOrder: boolean;
  /** Returns the number of the publish that a message acknowledges, or -1 if it has none. */
  ackedNumber(message: Buffer): number;
  acked: Template | undefined;
  /** Text of acknowledgements that hold the data of their publish. */
  acknowledgement: string | undefined;
  beat: { everyMs: number; send: Template } | undefined;
  replies: readonly Reply[];
  /** Markers of deliveries that are no answers in order and are not found by the marked data. */
  markers: NonNullable<Protocol['markers']>;
}

export function rulesOf({ subscribe, publish, echo, whisper, ...given }: Description): Rules {
  const sent = publish && 'send' in publish ? publish : undefined;
  const acked = template(sent?.acked);
  const carries = (slot: string): boolean => acked?.slots.includes(slot) ?? false;
  const heartbeats = several(given.heartbeat);
  const [beat] = heartbeats.flatMap((each) => ('every' in each ? each : []));
  const echoed = template(echo?.send);
  const marked = echoed?.slots.some((slot) => sendSlots.includes(slot));
  const numbered = carries('n') ? markerOf(acked) : undefined;
  return {
    hello: several(given.hello).map((each) => new Template(each)),
    ready: template(given.ready),
    refused: several(given.refused).map((each) => new Template(each)),
    subscribe: subscribe && { send: template(subscribe.send), confirmed: new Template(subscribe.confirmed) },
    publish: template(sent?.send),
    whisper: template(whisper?.send),
    echo: echoed,
    answer: echoed && !marked ? new Template(echo?.match ?? '') : undefined,
    isAckedInOrder: acked !== undefined && !carries('n') && !acked.isMarked,
    ackedNumber: (message) => (numbered ? sequenceIn(message, numbered) : -1),
    acked,
    acknowledgement: acked?.isMarked ? acked.longest : undefined,
    beat: beat && { everyMs: units.duration.parse(beat.every)!, send: new Template(beat.send) },
    replies: heartbeats.flatMap(replyOf),
    markers: {
      publish: markerOf(template(publish?.match)),
      echo: markerOf(template(echo?.match)),
      whisper: markerOf(template(whisper?.match)),
    },
  };
}

function template(written: Written | undefined): Template | undefined {
  return written === undefined ? undefined : new Template(written);
}

/** Returns the marker of a send's number, which always has the same length and first digit. */
function markerOf(match: Template | undefined): Marker | undefined {
  const before = match?.before('n');
  if (before === undefined) return undefined;
  const marker = `${before}${numberOfSend.first}`;
  return { marker, sequenceOffset: Buffer.byteLength(marker), sequenceDigits: numberOfSend.digits };
}

function sequenceIn(message: Buffer, { marker, sequenceOffset, sequenceDigits }: Marker): number {
  const at = message.indexOf(marker);
  const from = at + sequenceOffset;
  const digits = at < 0 ? '' : message.toString('latin1', from, from + sequenceDigits);
  return /^\d{9}$/.test(digits) ? Number(digits) : -1;
}

function replyOf(heartbeat: Heartbeat): Reply[] {
  if ('every' in heartbeat) return [];
  const send = heartbeat.send === undefined ? {} : { send: heartbeat.send };
  if ('begins' in heartbeat) return [{ received: heartbeat.begins, isPrefix: true, ...send }];
  return [{ received: heartbeat.received, ...send }];
}
