import type { z } from 'zod';
import type { Step, Talk } from '../measure/causes.js';
import { optionsOf } from '../options/option.js';
import { endOfHead } from '../units/http.js';
import { type ClientValues, jsonEscaped, slotsIn, slotted, urlEncoded, withSlots } from '../units/slots.js';
import { jsonIn } from '../units/text.js';
import type { Cause } from '../wire/wire.js';
import type { ProtocolValues } from './definition.js';

const keptBytes = 8192;
const shownBytes = 200;

interface Trail {
  step: Step;
  sent?: string | Uint8Array;
  received?: string | Uint8Array;
}

/** Hides secret values in messages of clients and a target. */
export class Mask {
  /** What is shown in place of each form of a value. The first for a form counts. */
  readonly #shown = new Map<string, string>();
  #pattern: RegExp | undefined;

  /** Adds values to be shown as `shown`. A short one is hidden only as a whole word, as others have it by chance. */
  add(values: readonly string[], shown: string): this {
    for (const value of values.filter((each) => each !== '')) {
      // Bytes are searched as Latin-1.
      for (const form of [value, jsonEscaped(value), urlEncoded(value), Buffer.from(value).toString('latin1')])
        if (!this.#shown.has(form)) this.#shown.set(form, shown);
    }
    const forms = [...this.#shown.keys()].sort((a, b) => b.length - a.length);
    const patterns = forms.map((form) => {
      const text = form.replaceAll(/[\^$.*+?()[\]{}|/\\-]/g, '\\$&');
      return form.length >= leastHiddenPart ? text : `(?<!\\w)${text}(?!\\w)`;
    });
    this.#pattern = forms.length === 0 ? undefined : new RegExp(patterns.join('|'), 'g');
    return this;
  }

  hide(text: string): string {
    return this.#pattern === undefined ? text : text.replaceAll(this.#pattern, (found) => this.#shown.get(found)!);
  }

  /** Returns bytes in hexadecimal, with what is shown in place of secrets as it is. */
  hexOf(bytes: Uint8Array): string {
    const text = Buffer.from(bytes).toString('latin1');
    let [hex, from] = ['', 0];
    for (const { 0: found, index } of this.#pattern === undefined ? [] : text.matchAll(this.#pattern)) {
      hex += Buffer.from(text.slice(from, index), 'latin1').toString('hex') + this.#shown.get(found);
      from = index + found.length;
    }
    return hex + Buffer.from(text.slice(from), 'latin1').toString('hex');
  }
}

/** Shorter texts appear by chance. */
export const leastHiddenPart = 4;

/** Returns the mask of a client's secrets: the values of its slots, its secret options by their schema, its query. */
export function maskOf(schema: z.ZodObject, given: ProtocolValues, url: URL, values: ClientValues): Mask {
  // A client has its row of the users among its values.
  const { users: _, ...options } = given;
  const secret = optionsOf(schema).flatMap(({ key, isSecret }) => (isSecret ? key : []));
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

/**
 * Records the messages of the clients of one address. Keeps an example of each cause by which some did not come up.
 * Counts later messages that are part of neither the protocol nor the run.
 */
export class Trails {
  /** Trails only of clients that are not up yet. */
  readonly #trails = new Map<number, Trail>();
  readonly #examples: Talk['examples'] = {};
  #others = 0;
  #firstOther: string | undefined;

  constructor(private readonly maskOf: (client: number) => Mask = () => new Mask()) {}

  begun(client: number): void {
    this.#trails.set(client, { step: 'connecting' });
  }

  reached(client: number, step: Step): void {
    const trail = this.#trails.get(client);
    if (trail !== undefined) trail.step = step;
  }

  sent(client: number, message: string | Uint8Array): void {
    const trail = this.#trails.size === 0 ? undefined : this.#trails.get(client);
    if (trail !== undefined) trail.sent ??= typeof message === 'string' ? message : copyOf(message);
  }

  received(client: number, bytes: Uint8Array, isBinary: boolean): void {
    const trail = this.#trails.size === 0 ? undefined : this.#trails.get(client);
    if (trail !== undefined) trail.received ??= kept(bytes, isBinary);
  }

  /** Records an HTTP answer in place of a WebSocket: its status and its body, as headers may hold secrets. */
  turnedAway(client: number, answer: Uint8Array): void {
    const [head = '', ...body] = new TextDecoder().decode(answer).split(endOfHead);
    const [status] = head.split('\r\n', 1);
    this.received(client, Buffer.from(`${status} ${body.join(endOfHead)}`.trim()), false);
  }

  other(client: number, bytes: Uint8Array, isBinary: boolean): void {
    if (this.#trails.has(client)) return;
    this.#others++;
    this.#firstOther ??= shownOf(kept(bytes, isBinary), this.maskOf(client));
  }

  /** Ends a client's trail. The client is up, or failed by that cause. */
  settled(client: number, cause?: Cause): void {
    const trail = this.#trails.get(client);
    this.#trails.delete(client);
    if (cause === undefined || trail === undefined || cause === 'ours' || this.#examples[cause] !== undefined) return;
    const { step, sent, received } = trail;
    const mask = this.maskOf(client);
    this.#examples[cause] = {
      step,
      ...(sent !== undefined && { sent: shownOf(sent, mask) }),
      ...(received !== undefined && { received: shownOf(received, mask) }),
    };
  }

  talk(): Talk {
    const [others, firstOther] = [this.#others, this.#firstOther];
    return { examples: this.#examples, others, ...(firstOther !== undefined && { firstOther }) };
  }
}

function copyOf(bytes: Uint8Array): Uint8Array {
  return Buffer.from(bytes.subarray(0, keptBytes));
}

function kept(bytes: Uint8Array, isBinary: boolean): string | Uint8Array {
  const copy = copyOf(bytes);
  return isBinary ? copy : new TextDecoder().decode(copy);
}

/** Returns the beginning of a message: text with secrets masked, bytes in hex. */
function shownOf(message: string | Uint8Array, mask: Mask): string {
  if (typeof message !== 'string') {
    const hex = mask.hexOf(message);
    return `hex ${hex.length <= shownBytes ? hex : `${hex.slice(0, shownBytes)}…`}`;
  }
  const text = mask.hide(message);
  const bytes = Buffer.from(text);
  return bytes.length <= shownBytes ? text : `${new TextDecoder().decode(bytes.subarray(0, shownBytes))}…`;
}
