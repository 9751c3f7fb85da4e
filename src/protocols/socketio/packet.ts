import { z } from 'zod';
import { jsonIn, objectIn } from '../../units/text.js';
import { messagesOption } from '../messages/description.js';
import { textOf } from '../protocol.js';

export const socketioOptions = z.strictObject({
  socketioNamespace: z
    .string()
    .regex(/^\/[^\s,?#]*$/, 'expected a path such as /chat')
    .optional()
    .meta({
      flag: 'socketio-namespace',
      placeholder: 'path',
      help: 'Socket.IO namespace of the clients; by default /',
    }),
  socketioAuth: z
    .string()
    .refine((text) => objectIn(text) !== undefined, 'expected a JSON object')
    .optional()
    .meta({
      flag: 'socketio-auth',
      placeholder: 'json',
      isSecret: true,
      hasSlots: true,
      help: 'Socket.IO auth, a JSON object; `{client}` is the client’s number',
    }),
  messages: messagesOption,
  socketioEvent: z.string().min(1).optional().meta({
    flag: 'socketio-event',
    placeholder: 'name',
    help: 'Socket.IO event that carries broadcasts and whispers; by default message',
  }),
});

/** How a job's clients speak to their Socket.IO server. Events of that one name count as deliveries. */
export type SocketioDialect = ReturnType<typeof dialectOf>;

/** Returns the dialect of checked values of `socketioOptions`. */
export function dialectOf(options: Readonly<Record<string, unknown>>) {
  const { socketioNamespace, socketioAuth, socketioEvent } = options as z.output<typeof socketioOptions>;
  return { namespace: socketioNamespace ?? '/', event: socketioEvent ?? 'message', auth: socketioAuth?.trim() };
}

/** Types of Socket.IO packets, as digits behind the `4` of Engine.IO. */
export const packetType = {
  connect: 0,
  disconnect: 1,
  event: 2,
  acknowledgement: 3,
  connectError: 4,
  binaryEvent: 5,
  binaryAcknowledgement: 6,
} as const;

/** The id of every echo, whose answer is identified by its data. No client requests so many streams. */
export const echoAcknowledgement = 999_999;

const message = 0x34;
const dash = 0x2d;
const slash = 0x2f;
const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;
export const openingBracket = 0x5b;
const zero = 0x30;

/**
 * The parts before a packet's JSON: `4<type>[<attachments>-][<namespace>,][<id>]`. Start and end of the namespace are
 * equal for the default one. The id is -1 for none.
 */
const head = { type: 0, attachments: 0, namespaceStart: 0, namespaceEnd: 0, id: -1, bodyStart: 0 };

export type PacketHead = Readonly<typeof head>;

/** Returns the head of the packet `bytes[start, end)`, if it is one. One object for all, valid until the next call. */
export function headOf(bytes: Uint8Array, start: number, end: number): PacketHead | undefined {
  if (end - start < 2 || bytes[start] !== message) return undefined;
  const type = bytes[start + 1]! - zero;
  if (type < packetType.connect || type > packetType.binaryAcknowledgement) return undefined;
  let at = start + 2;
  let attachments = 0;
  if (isBinary(type)) {
    const dashAt = endOfDigits(bytes, at, end);
    attachments = numberIn(bytes, at, dashAt);
    if (attachments < 1 || dashAt === end || bytes[dashAt] !== dash) return undefined;
    at = dashAt + 1;
  }
  head.type = type;
  head.attachments = attachments;
  head.namespaceStart = at;
  if (at < end && bytes[at] === slash) while (at < end && bytes[at] !== comma) at++;
  head.namespaceEnd = at;
  if (at > head.namespaceStart && at < end) at++;
  head.bodyStart = endOfDigits(bytes, at, end);
  head.id = numberIn(bytes, at, head.bodyStart);
  return head;
}

export function isOfNamespace(
  { namespaceStart, namespaceEnd }: PacketHead,
  bytes: Uint8Array,
  namespace: Uint8Array,
): boolean {
  const length = namespaceEnd - namespaceStart;
  // The default namespace is left out, or one slash.
  return length === 0 ? namespace.length === 1 : length === namespace.length && isAt(bytes, namespaceStart, namespace);
}

export function isEvent(type: number): boolean {
  return type === packetType.event || type === packetType.binaryEvent;
}

export function isAcknowledgement(type: number): boolean {
  return type === packetType.acknowledgement || type === packetType.binaryAcknowledgement;
}

function isBinary(type: number): boolean {
  return type === packetType.binaryEvent || type === packetType.binaryAcknowledgement;
}

/** Returns a test for deliveries among messages with our marker. Allocates only if an event's name has escapes. */
export function deliveryTest(dialect: SocketioDialect): (bytes: Uint8Array, start: number, end: number) => boolean {
  const namespace = Buffer.from(dialect.namespace);
  const name = Buffer.from(JSON.stringify(dialect.event));
  return (bytes, start, end) => {
    const read = headOf(bytes, start, end);
    if (read === undefined || !isOfNamespace(read, bytes, namespace)) return false;
    if (isAcknowledgement(read.type)) return read.id === echoAcknowledgement;
    return isEvent(read.type) && isNamed(bytes, read.bodyStart, end, name, dialect.event);
  };
}

/** Returns the beginnings of nearly all deliveries: events of one name, and the answers to echoes. */
export function deliveryHeads({ namespace, event }: SocketioDialect): string[] {
  const prefix = namespace === '/' ? '' : `${namespace},`;
  return [`42${prefix}[${JSON.stringify(event)}`, `43${prefix}${echoAcknowledgement}[`];
}

/** Returns true if the array at `start` has that text as its first element. `name` is its plain JSON. */
function isNamed(bytes: Uint8Array, start: number, end: number, name: Uint8Array, event: string): boolean {
  if (bytes[start] !== openingBracket) return false;
  let at = start + 1;
  while (at < end && isSpace(bytes[at]!)) at++;
  if (at + name.length <= end && isAt(bytes, at, name)) return true;
  const closing = closingQuote(bytes, at, end);
  return closing !== -1 && jsonIn(textOf(bytes.subarray(at, closing + 1))) === event;
}

/** Returns the end of the JSON string at `start` if it has an escape, otherwise -1. */
function closingQuote(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start] !== quote) return -1;
  let isEscaped = false;
  for (let at = start + 1; at < end; at++) {
    if (bytes[at] === quote) return isEscaped ? at : -1;
    if (bytes[at] === backslash) {
      isEscaped = true;
      at++;
    }
  }
  return -1;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function isAt(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word[i]) return false;
  return true;
}

function endOfDigits(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at]! >= zero && bytes[at]! <= zero + 9) at++;
  return at;
}

/** Returns the number in the digits, or -1 if there is none. */
function numberIn(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return -1;
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + bytes[at]! - zero;
  return value;
}
