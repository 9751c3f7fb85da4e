import type { Step, Talk } from '../measure/causes.js';
import { endOfHead } from '../units/http.js';
import type { Cause } from '../wire/wire.js';

/** Kept bytes of a message. An example shows the first of them. */
const keptBytes = 8192;
const shownBytes = 200;
const shownHexBytes = 100;

/** Holds the first messages of a client until it is up. */
interface Trail {
  step: Step;
  sent?: string | Uint8Array;
  received?: string | Uint8Array;
}

/** A value that must not be shown, and its replacement. */
export interface ValueMask {
  value: string;
  shown: string;
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

  /** `masksOf` returns the secret values of a client. */
  constructor(private readonly masksOf: (client: number) => readonly ValueMask[] = () => []) {}

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

  /** Records a message that the session ignored. */
  other(client: number, bytes: Uint8Array, isBinary: boolean): void {
    if (this.#trails.has(client)) return;
    this.#others++;
    this.#firstOther ??= shownOf(kept(bytes, isBinary), this.masksOf(client));
  }

  /** Ends a client's trail. The client is up, or failed by that cause. */
  settled(client: number, cause?: Cause): void {
    const trail = this.#trails.get(client);
    this.#trails.delete(client);
    if (cause === undefined || trail === undefined || cause === 'ours' || this.#examples[cause] !== undefined) return;
    const { step, sent, received } = trail;
    const masks = this.masksOf(client);
    this.#examples[cause] = {
      step,
      ...(sent !== undefined && { sent: shownOf(sent, masks) }),
      ...(received !== undefined && { received: shownOf(received, masks) }),
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
function shownOf(message: string | Uint8Array, masks: readonly ValueMask[]): string {
  if (typeof message !== 'string') return masks.length > 0 ? `${message.length} bytes` : hexOf(message);
  const text = masks.reduce((masked, { value, shown }) => masked.replaceAll(value, shown), message);
  const bytes = Buffer.from(text);
  return bytes.length <= shownBytes ? text : `${new TextDecoder().decode(bytes.subarray(0, shownBytes))}…`;
}

function hexOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.subarray(0, shownHexBytes)).toString('hex');
  return `hex ${hex}${bytes.length > shownHexBytes ? '…' : ''}`;
}
