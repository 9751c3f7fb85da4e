import { jsonEscaped, quotesIn } from '../units/slots.js';
import { firstFew, jsonIn, outsideText } from '../units/text.js';
import type { SendMessage, TextWriter } from '../wire/wire.js';
import { type Declared, MessagesInTurn, type MessageTemplate, type Time } from './api.js';
import { exponential } from './client/draws.js';
import { msOf } from './client/waits.js';

/** Makes message `n` of declared sends, with the mark of that number. */
export type MessageMaker = (n: number, mark: number) => SendMessage;

/** What a template can name, for errors. */
export const templateSlots = ['{n}', '{client}', '{mark}', '{row.x}', '{random:1-6}'];

/** What the slots of one client's templates get. */
export interface TemplateValues {
  client: number;
  row: unknown;
  /** Text before the number of a mark, unique to the run. */
  marker: string;
  /** Draws from 0 to below 1, for this template alone. */
  drawn(): number;
}

/** A place for a value of each send. `least` and `count` are of random numbers. */
interface SendSlot {
  kind: 'n' | 'mark' | 'random';
  least: number;
  count: number;
}

/** Bytes, and the slot behind them; the last of all has none. */
interface Piece {
  bytes: Uint8Array;
  slot: SendSlot | undefined;
}

export const markDigits = 9;
const mostDigits = 16;
const zero = 48;

const slotPattern = /\{(random:[^{}]*|row\.[^{}]+|[A-Za-z_]\w*)\}/;
/** Values of an object that consist of one slot for a number, and so become that number. */
const numberPattern = /(?<=^|[:,[])"\{(n|client|random:\d+-\d+)\}"(?=$|[,}\]])/g;

/** A message of one client and schedule, compiled once and filled for each send. */
export class MessageText implements TextWriter {
  readonly mostBytes: number;
  readonly #pieces: readonly Piece[];
  readonly #bytes: Uint8Array | undefined;
  readonly #drawn: () => number;
  /** Numbers of the send at hand. */
  #n = 0;
  #mark = 0;

  /** Throws a `RangeError` that names a slot which has no value. */
  constructor(template: MessageTemplate, values: TemplateValues) {
    this.#bytes = template instanceof Uint8Array ? template : undefined;
    this.#drawn = values.drawn;
    this.#pieces = template instanceof Uint8Array ? [] : sharedPieces(textOf(template), values);
    this.mostBytes = this.#pieces.reduce((sum, { bytes }) => sum + bytes.length + mostDigits, 0);
  }

  /**
   * Returns the message of send `n`, from 0. `mark` is a number unique in the run, of at most nine digits. A text is
   * that of the last call, and makes its draws when it is written.
   */
  with(n: number, mark: number): SendMessage {
    this.#n = n;
    this.#mark = mark;
    return this.#bytes ?? this;
  }

  write(into: Uint8Array, at: number): number {
    let end = at;
    for (const { bytes, slot } of this.#pieces) {
      into.set(bytes, end);
      end += bytes.length;
      if (slot !== undefined) end = this.#writeSlot(slot, into, end);
    }
    return end - at;
  }

  #writeSlot({ kind, least, count }: SendSlot, into: Uint8Array, at: number): number {
    if (kind === 'mark') return writeDigits(this.#mark, markDigits, into, at);
    const value = kind === 'n' ? this.#n : least + Math.floor(this.#drawn() * count);
    return writeDigits(value, digitsOf(value), into, at);
  }

  toString(): string {
    const bytes = Buffer.allocUnsafe(this.mostBytes);
    return bytes.toString('utf8', 0, this.write(bytes, 0));
  }
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let least = 10; value >= least; least *= 10) digits++;
  return digits;
}

function writeDigits(value: number, digits: number, into: Uint8Array, at: number): number {
  let rest = value;
  for (let place = at + digits - 1; place >= at; place--) {
    const tenth = Math.floor(rest / 10);
    into[place] = zero + rest - tenth * 10;
    rest = tenth;
  }
  return at + digits;
}

/** Most templates are the same for all clients, and one copy of each stays in the caches of the processor. */
const mostShared = 1000;
const shared = new Map<string, readonly Piece[]>();
const ownPattern = /\{(client|row\.[^{}]+)\}/;

function sharedPieces(text: string, values: TemplateValues): readonly Piece[] {
  if (ownPattern.test(text)) return piecesOf(text, values);
  const key = `${values.marker} ${text}`;
  const pieces = shared.get(key) ?? piecesOf(text, values);
  if (shared.size < mostShared) shared.set(key, pieces);
  return pieces;
}

/** Returns what makes the messages of one client and schedule. Equal messages in turn are compiled once. */
export function messageMaker(template: MessageTemplate, values: TemplateValues): MessageMaker {
  if (!(template instanceof MessagesInTurn)) {
    const text = new MessageText(template, values);
    return (n, mark) => text.with(n, mark);
  }
  const known = new Map<MessageTemplate, MessageText>();
  const texts = template.messages.map((each) => {
    const text = known.get(each) ?? new MessageText(each, values);
    known.set(each, text);
    return text;
  });
  return (n, mark) => (texts[n % texts.length] as MessageText).with(n, mark);
}

function textOf(template: Exclude<MessageTemplate, Uint8Array>): string {
  if (typeof template === 'string') return template;
  const text: string | undefined = JSON.stringify(template);
  if (text === undefined) throw new RangeError(`a message: expected text, bytes or a value of JSON`);
  return text.replaceAll(numberPattern, '{$1}');
}

function piecesOf(text: string, values: TemplateValues): Piece[] {
  const pieces: Piece[] = [];
  let isQuoted = false;
  let fixed = '';
  const add = (part: string | SendSlot): void => {
    if (typeof part === 'string') {
      fixed += part;
      return;
    }
    const letters = part.kind === 'mark' ? values.marker : '';
    pieces.push({ bytes: Buffer.from(fixed + letters), slot: part });
    fixed = '';
  };
  // Odd parts are the names of slots.
  for (const [index, part] of text.split(slotPattern).entries()) {
    if (index % 2 === 1) add(pieceOf(part, isQuoted, values));
    else {
      add(part);
      if (quotesIn(part) % 2 === 1) isQuoted = !isQuoted;
    }
  }
  if (fixed !== '') pieces.push({ bytes: Buffer.from(fixed), slot: undefined });
  return pieces;
}

function pieceOf(name: string, isQuoted: boolean, { client, row }: TemplateValues): string | SendSlot {
  if (name === 'n' || name === 'mark') return { kind: name, least: 0, count: 0 };
  if (name === 'client') return String(client);
  if (name.startsWith('random:')) return randomSlot(name);
  if (name.startsWith('row.')) {
    const column = name.slice(4);
    const text = rowText(row, isQuoted ? String(jsonIn(`"${column}"`) ?? column) : column);
    return isQuoted ? jsonEscaped(text) : text;
  }
  throw new RangeError(`a message has {${outsideText(name, 60)}}: expected ${templateSlots.join(', ')}`);
}

function randomSlot(name: string): SendSlot {
  const [, from, to] = /^random:(\d{1,15})-(\d{1,15})$/.exec(name) ?? [];
  const [least, most] = [Number(from), Number(to)];
  if (least <= most) return { kind: 'random', least, count: most - least + 1 };
  throw new RangeError(`a message has {${outsideText(name, 60)}}: expected two rising numbers, as {random:1-6}`);
}

function rowText(row: unknown, column: string): string {
  const value = (row as Record<string, unknown> | null | undefined)?.[column];
  if (value !== undefined) return typeof value === 'object' ? JSON.stringify(value) : String(value);
  const known = row === undefined ? 'data of the flow' : `one of ${firstFew(Object.keys(row ?? {}), ', ')}`;
  throw new RangeError(`a message has {row.${outsideText(column, 60)}}: expected ${outsideText(known)}`);
}

/** Returns when send `n` is due, asked in order from 0, in nanoseconds. Undefined after the last one. */
export type Instants = (n: number) => number | undefined;

const nsPerMs = 1e6;

function within(instants: Instants, fromNs: number, { count, until }: Pick<Declared, 'count' | 'until'>): Instants {
  const endNs = until === undefined ? Number.POSITIVE_INFINITY : fromNs + msOf(until, 'until') * nsPerMs;
  return (n) => {
    if (n >= (count ?? Number.POSITIVE_INFINITY)) return undefined;
    const dueNs = instants(n);
    return dueNs !== undefined && dueNs < endNs ? dueNs : undefined;
  };
}

/** Returns even instants, or those of a Poisson process. The first is drawn in the first period, or is at once. */
export function instantsEvery(
  period: Time | { perSecond: number; poisson?: boolean },
  fromNs: number,
  options: Declared,
  draw: () => number,
): Instants {
  const isRate = typeof period === 'object';
  const periodNs = isRate
    ? 1e9 / positive(period.perSecond, 'perSecond')
    : positive(msOf(period, 'every'), 'period') * nsPerMs;
  const firstNs = fromNs + (options.from === 'start' ? 0 : draw() * periodNs);
  if (!isRate || !period.poisson) return within((n) => firstNs + n * periodNs, fromNs, options);
  let lastNs = firstNs;
  const next: Instants = (n) => {
    if (n > 0) lastNs += exponential(draw(), periodNs);
    return lastNs;
  };
  return within(next, fromNs, options);
}

/** Returns instants after now, in the order of a list of times. */
export function instantsAt(times: readonly Time[], fromNs: number, options: Declared): Instants {
  const dueNs = times.map((time) => fromNs + msOf(time, 'at') * nsPerMs).sort((one, other) => one - other);
  return within((n) => dueNs[n], fromNs, options);
}

/** Returns `count` instants spread evenly over a time. */
export function instantsOver(count: number, over: Time | undefined, fromNs: number, options: Declared): Instants {
  const stepNs = ((over === undefined ? 0 : msOf(over, 'burst')) * nsPerMs) / positive(count, 'count');
  return within((n) => fromNs + n * stepNs, fromNs, { ...options, count: Math.min(count, options.count ?? count) });
}

function positive(value: number, name: string): number {
  if (value > 0) return value;
  throw new RangeError(`${name}: expected a number above 0, received ${value}`);
}
