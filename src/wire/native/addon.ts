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
