import net from 'node:net';
import { largestHeadBytes } from '../../units/http.js';
import { readOriginNs } from '../../units/system.js';
import { addressOf, closeTimeoutMs, createLookupOnce, firstHop } from '../dialer.js';
import { mostUnsentBytes } from '../send-queue.js';
import { nativeTls } from '../tls.js';
import type { Reply, WireSetup, WireSink } from '../wire.js';
import { clientsPerTable } from './layout.js';

export type Handle = object;

/** Describes the exports of native/src/addon.c. */
export interface NativeAddon {
  /** Version of the OpenSSL in this Node; undefined if it has none that the addon can use. */
  openssl: string | undefined;
  /** Takes the result of `nativeSetup`. Returns the handle and the memory of each thread, which `loopMemory` reads. */
  create(numbers: BigInt64Array, texts: readonly Uint8Array[], onWake: () => void): [Handle, ...ArrayBuffer[]];
  /** `Commands` lists all commands. Returns false for a send that would wait beyond the bound. */
  command(
    handle: Handle,
    kind: number,
    client: number,
    generation: number,
    detail: number,
    number: number,
    message?: string | Uint8Array,
  ): boolean;
  /** Takes the posts of a `PostBatch`, all for one thread. */
  post(handle: Handle, loop: number, posts: Uint8Array, length: number): void;
  dispose(handle: Handle): void;
}

/** Values of `enum event_kind`. */
export const eventKind = {
  ...{ opened: 1, text: 2, binary: 3, pong: 4, deliveryText: 5, deliveryBinary: 6 },
  ...{ raw: 7, position: 8, closed: 9, shaken: 10 },
} as const;

/** Values of `enum event_flag`. Flags of deliveries in raw bytes are shifted left by `deliveryShift` bits. */
export const eventFlag = { exact: 1, behind: 2, held: 4, resumed: 8 } as const;
export const deliveryShift = 4;

/** Values of `enum command_kind`. */
export const commandKind = { open: 0, send: 1, post: 2, drop: 3, trust: 4, read: 5 } as const;

/** Values of `enum send_kind`. */
export const sendKind = { talk: 0, data: 1, close: 2, pong: 3, ping: 4 } as const;

/**
 * Values of `enum drop_mode`. `close` says nothing after a close frame of ours. `fail` is a close that ends our
 * sending. `shut` closes without a close frame.
 */
export const dropMode = { reset: 0, close: 1, vanish: 2, fail: 3, shut: 4 } as const;

/** Finds the addresses of a target's host. Answers at once if the host is an address. */
export class TargetAddresses {
  readonly #host: string;
  readonly #lookup = createLookupOnce();

  constructor(host: string) {
    this.#host = host;
  }

  /** The host itself, if it needs no lookup. */
  get literal(): string | undefined {
    return net.isIP(this.#host) === 0 ? undefined : this.#host;
  }

  /** Calls back with the addresses in the system's order. A failure is not cached. */
  resolve(onFound: (addresses: readonly string[]) => void, onFailed: (error: NodeJS.ErrnoException) => void): void {
    this.#lookup(this.#host, { all: true }, (error, addresses) => {
      if (error) onFailed(error);
      else onFound((addresses as { address: string }[]).map(({ address }) => address));
    });
  }
}

const noTls = { numbers: [0, 0, 0, 0], texts: ['', '', '', ''] };

/** The input of the addon's `create`: numbers and texts in the order of native/src/engine.h. */
export interface NativeSetup {
  numbers: BigInt64Array;
  texts: Uint8Array[];
}

/** Returns the number of threads for that many clients. */
export function loopsFor(capacity: number): number {
  return Math.max(1, Math.ceil(capacity / clientsPerTable));
}

/** Returns the setup for a target with these addresses. Throws a `TypeError` for a wrong address. */
export function nativeSetup(
  setup: WireSetup,
  sink: Pick<WireSink, 'position' | 'delivery'>,
  targets: readonly string[],
): NativeSetup {
  const { scan, capacity, localAddresses, connectTimeoutMs, replies = [], identities = [] } = setup;
  const { marker, acknowledgement = '', deliveryHeads = [] } = scan;
  const { port, isTls, tunnel } = firstHop(setup);
  const tls = isTls ? nativeTls(setup, addressOf(setup.url).host) : noTls;
  const answers = replies.flatMap(({ received, send = '' }) => [received, send]);
  return {
    numbers: BigInt64Array.from(
      [
        ...[capacity, loopsFor(capacity), port],
        ...[readOriginNs(), connectTimeoutMs * 1e6, closeTimeoutMs * 1e6],
        ...[largestHeadBytes, mostUnsentBytes],
        ...[scan.sequenceOffset, scan.sequenceDigits],
        ...tls.numbers,
        ...[scan.isDelivery, sink.position, sink.delivery].map((each) => Number(each !== undefined)),
        ...[identities.length, targets.length, localAddresses.length, deliveryHeads.length, replies.length],
        ...replies.map(replyFlagsOf),
      ],
      (number) => BigInt(Math.round(number)),
    ),
    texts: [
      ...[marker, acknowledgement, ...tls.texts, tunnel, ...identities],
      ...[...targets, ...localAddresses, ...deliveryHeads, ...answers],
    ].map((text) => Buffer.from(text)),
  };
}

function replyFlagsOf({ isPrefix, send }: Reply): number {
  return (isPrefix ? 1 : 0) | (send !== undefined ? 2 : 0);
}
