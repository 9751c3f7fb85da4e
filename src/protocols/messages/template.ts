import { markerAlone, sequenceOfData } from '../../measure/samples/payload.js';
import { type ClientValues, quotesIn, slotPattern } from '../../units/slots.js';

/** A message as users write it: text, or bytes in hexadecimal or base64. All can contain slots for values. */
export type Written = string | { hex: string } | { base64: string };

/** A piece of text, or of bytes with one character for each byte, or a slot. */
type Piece = string | Slot;

/** A place for a value. `isQuoted`: it is in a string of JSON, or among bytes. */
interface Slot {
  name: string;
  isQuoted: boolean;
}

/** Number of the first send. All numbers have ten digits, so they are found like the marker. */
const firstNumber = 1_000_000_000;

/** Slots for a send: its data, its data as JSON text even within a string, and its number. */
export const sendSlots: readonly string[] = ['data', 'json', 'n'];

/** Format of a send's number behind a text. The first digit belongs to that text. */
export const numberOfSend = { first: '1', digits: 9 } as const;

/** A parsed message, to be filled for each client and each send. */
export class Template {
  readonly isBinary: boolean;
  readonly pieces: readonly Piece[];
  /** The message of all clients, if it has no value of a client. */
  #same: TemplateMessage | undefined;

  /** Throws a `RangeError` with the expected format for wrong bytes. */
  constructor(readonly written: Written) {
    this.isBinary = typeof written !== 'string';
    this.pieces = piecesOf(written);
  }

  get slots(): string[] {
    return this.pieces.flatMap((piece) => (typeof piece === 'string' ? [] : piece.name));
  }

  get isMarked(): boolean {
    return this.slots.some((name) => name === 'data' || name === 'json');
  }

  get longest(): string {
    return this.pieces.reduce<string>(
      (most, piece) => (typeof piece === 'string' && piece.length > most.length ? piece : most),
      '',
    );
  }

  /** Returns the text before a slot: empty at the start or behind another slot, undefined without the slot. */
  before(name: string): string | undefined {
    const at = this.pieces.findIndex((piece) => typeof piece !== 'string' && piece.name === name);
    const before = this.pieces[at - 1];
    return at < 0 ? undefined : typeof before === 'string' ? before : '';
  }

  /** Returns the message of a client, filled with its values. Slots without a value are for the send. */
  of(values: ClientValues): TemplateMessage {
    this.#same ??= this.slots.every((name) => sendSlots.includes(name)) ? this.#made(() => undefined) : undefined;
    return this.#same ?? this.#made(values);
  }

  #made(values: ClientValues): TemplateMessage {
    const pieces: Piece[] = [];
    for (const piece of this.pieces) {
      const filled = typeof piece === 'string' ? piece : (this.#filled(piece, values) ?? piece);
      const last = pieces.at(-1);
      if (typeof filled === 'string' && typeof last === 'string') pieces[pieces.length - 1] = last + filled;
      else pieces.push(filled);
    }
    return new TemplateMessage(pieces, this.isBinary);
  }

  #filled({ name, isQuoted }: Slot, values: ClientValues): string | undefined {
    const value = values(name);
    if (value === undefined) return undefined;
    if (this.isBinary) return Buffer.from(value).toString('latin1');
    return isQuoted ? JSON.stringify(value).slice(1, -1) : value;
  }
}

/** A message of one client. Each send has its own data and number. */
export class TemplateMessage {
  #bytes: Buffer | undefined;

  constructor(
    private readonly pieces: readonly Piece[],
    private readonly isBinary: boolean,
  ) {}

  /**
   * Returns the message to send. `data` is JSON text of the run. In JSON strings and among bytes, its marker alone
   * replaces it, filled to the same length.
   */
  with(data = ''): string | Uint8Array {
    let text = '';
    for (const piece of this.pieces) text += typeof piece === 'string' ? piece : ofSend(piece, data);
    return this.isBinary ? Buffer.from(text, 'latin1') : text;
  }

  /** The bytes to look for in messages. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.with());
    return this.#bytes;
  }
}

function ofSend({ name, isQuoted }: Slot, data: string): string {
  if (name === 'n') return String(firstNumber + sequenceOfData(data));
  if (name === 'json') return isQuoted ? JSON.stringify(data).slice(1, -1) : data;
  if (name !== 'data') throw new Error(`no value for {${name}}: a checked description has none but its own`);
  return isQuoted ? markerAlone(data) : data;
}

function piecesOf(written: Written): Piece[] {
  const [text, encoding] =
    typeof written === 'string'
      ? [written]
      : 'hex' in written
        ? [written.hex, 'hex' as const]
        : [written.base64, 'base64' as const];
  const pieces: Piece[] = [];
  let isQuoted = encoding !== undefined;
  // Odd parts are the names of slots.
  for (const [index, part] of text.split(slotPattern).entries()) {
    if (index % 2 === 1) pieces.push({ name: part, isQuoted });
    else if (part !== '') {
      pieces.push(encoding === undefined ? part : bytesIn(part, encoding));
      if (encoding === undefined && quotesIn(part) % 2 === 1) isQuoted = !isQuoted;
    }
  }
  return pieces;
}

function bytesIn(text: string, encoding: 'hex' | 'base64'): string {
  const digits = text.replaceAll(/\s/g, '');
  const isSound =
    encoding === 'hex'
      ? /^([0-9a-f]{2})*$/i.test(digits)
      : /^[A-Za-z0-9+/]*={0,2}$/.test(digits) && digits.length % 4 === 0;
  if (!isSound)
    throw new RangeError(`expected ${encoding === 'hex' ? 'pairs of hexadecimal digits' : 'base64'} between slots`);
  return Buffer.from(digits, encoding).toString('latin1');
}
