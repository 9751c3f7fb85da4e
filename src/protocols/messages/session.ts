import { sequenceFinder, sequenceOfData } from '../../measure/samples/payload.js';
import type { ClientValues } from '../../units/slots.js';
import { units } from '../../units/unit.js';
import type { Reply } from '../../wire/wire.js';
import { cut, type Marker, type Session, type SessionSink, textOf } from '../protocol.js';
import { type Description, type Heartbeat, several } from './description.js';
import { numberOfSend, sendSlots, Template, type TemplateMessage, type Written } from './template.js';

/** A description, read once for all clients. */
export type Rules = ReturnType<typeof rulesOf>;

export function rulesOf({ subscribe, publish, echo, whisper, ...given }: Description) {
  const sent = publish && 'send' in publish ? publish : undefined;
  const acked = template(sent?.acked);
  const carries = (slot: string): boolean => acked?.slots.includes(slot) ?? false;
  const heartbeats = several(given.heartbeat);
  const [beat] = heartbeats.flatMap((each) => ('every' in each ? each : []));
  const echoed = template(echo?.send);
  const marked = echoed?.slots.some((slot) => sendSlots.includes(slot));
  const numbered = carries('n') ? markerOf(acked) : undefined;
  const ackedBy = numbered && sequenceFinder({ ...numbered, sequenceOffset: numbered.marker.length });
  return {
    hello: several(given.hello).map((each) => new Template(each)),
    ready: template(given.ready),
    refused: several(given.refused).map((each) => new Template(each)),
    subscribe: subscribe && { send: template(subscribe.send), confirmed: new Template(subscribe.confirmed) },
    publish: template(sent?.send),
    whisper: template(whisper?.send),
    echo: echoed,
    /** Text of the answers to echoes, if they come in order and do not identify their sends. An empty one fits all. */
    answer: echoed && !marked ? new Template(echo?.match ?? '') : undefined,
    /** True if answers to publishes come in order, as they do not identify them. */
    isAckedInOrder: acked !== undefined && !carries('n') && !acked.isMarked,
    /** Returns the number of the publish that a message acknowledges, or -1 if it has none. */
    ackedNumber: (message: Buffer): number => ackedBy?.(message.toString()) ?? -1,
    acked,
    /** Text of acknowledgements that hold the data of their publish. */
    acknowledgement: acked?.isMarked ? acked.longest : undefined,
    beat: beat && { everyMs: units.duration.parse(beat.every)!, send: new Template(beat.send) },
    replies: heartbeats.flatMap(replyOf),
    /** Markers of deliveries that are no answers in order and are not found by the marked data. */
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

function replyOf(heartbeat: Heartbeat): Reply[] {
  if ('every' in heartbeat) return [];
  const send = heartbeat.send === undefined ? {} : { send: heartbeat.send };
  if ('begins' in heartbeat) return [{ received: heartbeat.begins, isPrefix: true, ...send }];
  return [{ received: heartbeat.received, ...send }];
}

interface ForStream {
  stream: string;
  message: TemplateMessage;
}

/** Session of a described server. It sends templates, and looks for templates in the received messages. */
export class DescribedSession implements Session {
  #isReady = false;
  #asked: readonly string[] = [];
  /** True if the server confirmed before any request, as a server without subscribe requests does. */
  #isConfirmed = false;
  /** Sends whose answers come in order, by sequence number. */
  readonly #unanswered = { echoes: [] as number[], publishes: [] as number[] };
  #echo: TemplateMessage | undefined;
  readonly #made: { publish?: ForStream; whisper?: ForStream } = {};

  constructor(
    private readonly sink: SessionSink,
    private readonly rules: Rules,
    private readonly values: ClientValues,
  ) {}

  opened(): void {
    this.#isReady = false;
    this.#isConfirmed = false;
    this.#asked = [];
    this.#unanswered.echoes.length = 0;
    this.#unanswered.publishes.length = 0;
    for (const hello of this.rules.hello) this.sink.send(this.#filled(hello).with());
    if (this.rules.ready === undefined) this.#becomeReady();
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.sink.ready();
  }

  subscribe(stream: string): void {
    const { send } = this.rules.subscribe ?? {};
    this.#asked = this.#asked.concat(stream);
    if (send) this.sink.send(this.#filled(send, stream).with());
    else if (this.#isConfirmed) this.#confirm(stream);
  }

  #confirm(stream: string): void {
    this.#asked = this.#asked.filter((each) => each !== stream);
    this.sink.subscribed(stream);
  }

  echo(data: string): boolean {
    const { echo, answer } = this.rules;
    if (echo === undefined) return false;
    this.#echo ??= this.#filled(echo);
    const isSent = this.sink.say(this.#echo.with(data));
    if (isSent && answer !== undefined) this.#unanswered.echoes.push(sequenceOfData(data));
    return isSent;
  }

  broadcast(stream: string, data: string): boolean {
    const isSent = this.#say('publish', stream, data);
    if (isSent && this.rules.isAckedInOrder) this.#unanswered.publishes.push(sequenceOfData(data));
    return isSent;
  }

  whisper(stream: string, data: string): boolean {
    return this.#say('whisper', stream, data);
  }

  #say(kind: 'publish' | 'whisper', stream: string, data: string): boolean {
    const template = this.rules[kind];
    if (template === undefined) return false;
    let made = this.#made[kind];
    if (made?.stream !== stream) made = { stream, message: this.#filled(template, stream) };
    this.#made[kind] = made;
    return this.sink.say(made.message.with(data));
  }

  tick(): void {
    const { beat } = this.rules;
    if (this.#isReady && beat) this.sink.send(this.#filled(beat.send).with());
  }

  received(bytes: Uint8Array): void {
    this.#take(bytes, false);
  }

  receivedBinary(bytes: Uint8Array): void {
    this.#take(bytes, true);
  }

  #take(bytes: Uint8Array, isBinary: boolean): void {
    const { refused, ready } = this.rules;
    const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (refused.some((each) => this.#isIn(message, each))) {
      this.sink.refused(cut(textOf(bytes)));
      return;
    }
    const makesReady = !this.#isReady && ready !== undefined && this.#isIn(message, ready);
    if (makesReady) this.#becomeReady();
    if (!this.#heard(message) && !makesReady) this.sink.other(bytes, isBinary);
  }

  #heard(message: Buffer): boolean {
    const { subscribe, answer } = this.rules;
    const stream = subscribe && this.#confirmedBy(message, subscribe.confirmed);
    if (stream !== undefined) {
      this.#confirm(stream);
      return true;
    }
    const acked = this.#ackedBy(message);
    if (acked !== undefined) this.sink.acknowledged(acked);
    else if (answer !== undefined && this.#unanswered.echoes.length > 0 && this.#isIn(message, answer))
      this.sink.delivered(this.#unanswered.echoes.shift()!);
    else return false;
    return true;
  }

  /** Returns the publish that a message without marked data acknowledges. */
  #ackedBy(message: Buffer): number | undefined {
    const { acked, isAckedInOrder, ackedNumber } = this.rules;
    const number = ackedNumber(message);
    if (number >= 0) return number;
    return isAckedInOrder && acked && this.#isIn(message, acked) ? this.#unanswered.publishes.shift() : undefined;
  }

  /** Returns the stream that a message confirms. Of several, it is the one that was requested first. */
  #confirmedBy(message: Buffer, confirmed: Template): string | undefined {
    const needsNoAsking = this.rules.subscribe?.send === undefined && this.#asked.length === 0;
    if (needsNoAsking) this.#isConfirmed ||= this.#isIn(message, confirmed);
    return this.#asked.find((stream) => this.#isIn(message, confirmed, stream));
  }

  #isIn(message: Buffer, template: Template, stream?: string): boolean {
    return message.includes(this.#filled(template, stream).bytes);
  }

  #filled(template: Template, stream = ''): TemplateMessage {
    return template.of((slot) => (slot === 'stream' ? stream : this.values(slot)));
  }
}
