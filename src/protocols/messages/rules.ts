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
  /** What answers of echoes have where they come in order and tell nothing of their sends; an empty one fits all. */
  answer: Template | undefined;
  /** Whether answers to publishes come in order, as they tell nothing of them. */
  isAckedInOrder: boolean;
  /** The number of the publish that a message acknowledges by it; -1 for none. */
  ackedNumber(message: Buffer): number;
  acked: Template | undefined;
  /** Text of acknowledgements that hold the data of their publish. */
  acknowledgement: string | undefined;
  beat: { everyMs: number; send: Template } | undefined;
  replies: readonly Reply[];
  /** How deliveries are found that are no answer in order, unless by the marked data. */
  markers: NonNullable<Protocol['markers']>;
}

/** The rules of a checked description. */
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

/** By the number of a send, which has always as many digits, the first always the same. */
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
