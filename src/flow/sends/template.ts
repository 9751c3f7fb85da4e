import { jsonEscaped } from '../../units/slots.js';
import { firstFew, jsonIn, outsideText } from '../../units/text.js';
import { MessagesInTurn, type MessageTemplate } from '../api.js';
import type { MessageMaker } from '../trace.js';

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

type Piece = string | SendSlot;

/** Digits of a mark's number. */
export const markDigits = 9;
/** Puts leading zeros before the number of a mark, once its first digit is cut off. */
const beforeMark = 10 ** markDigits;

const slotPattern = /\{(random:[^{}]*|row\.[^{}]+|[A-Za-z_]\w*)\}/;
/** Values of an object that consist of one slot for a number, and so become that number. */
const numberPattern = /(?<=^|[:,[])"\{(n|client|random:\d+-\d+)\}"(?=$|[,}\]])/g;

/** A message of one client and schedule, compiled once and filled for each send. */
export class MessageText {
  readonly #pieces: readonly Piece[];
  readonly #bytes: Uint8Array | undefined;
  readonly #marker: string;
  readonly #drawn: () => number;
  /** True if the message has a mark, so that the ledger can find it. */
  readonly isMarked: boolean;

  /** Throws a `RangeError` that names a slot which has no value. */
  constructor(template: MessageTemplate, values: TemplateValues) {
    this.#bytes = template instanceof Uint8Array ? template : undefined;
    this.#marker = values.marker;
    this.#drawn = values.drawn;
    this.#pieces = this.#bytes ? [] : piecesOf(textOf(template), values);
    this.isMarked = this.#pieces.some((piece) => typeof piece === 'object' && piece.kind === 'mark');
  }

  /** Returns the message of send `n`, from 0. `mark` is a number unique in the run, of at most nine digits. */
  with(n: number, mark: number): string | Uint8Array {
    if (this.#bytes) return this.#bytes;
    let text = '';
    for (const piece of this.#pieces) text += typeof piece === 'string' ? piece : this.#valueOf(piece, n, mark);
    return text;
  }

  #valueOf({ kind, least, count }: SendSlot, n: number, mark: number): string | number {
    if (kind === 'n') return n;
    if (kind === 'random') return least + Math.floor(this.#drawn() * count);
    return this.#marker + String(beforeMark + mark).slice(1);
  }
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
  const add = (piece: Piece): void => {
    const last = pieces.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') pieces[pieces.length - 1] = last + piece;
    else if (piece !== '') pieces.push(piece);
  };
  // Odd parts are the names of slots.
  for (const [index, part] of text.split(slotPattern).entries()) {
    if (index % 2 === 1) add(pieceOf(part, isQuoted, values));
    else {
      add(part);
      if (quotesIn(part) % 2 === 1) isQuoted = !isQuoted;
    }
  }
  return pieces;
}

/** Counts the quotation marks that begin or end a string of JSON (RFC 8259, section 7). */
function quotesIn(text: string): number {
  return text.replaceAll(/\\./gs, '').split('"').length - 1;
}

function pieceOf(name: string, isQuoted: boolean, { client, row }: TemplateValues): Piece {
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
