export type Handle = object;

/** Describes the exports of native/src/addon.c. */
export interface NativeAddon {
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
  dispose(handle: Handle): void;
}

/** Values of `enum event_kind`. */
export const eventKind = {
  ...{ opened: 1, text: 2, binary: 3, pong: 4, deliveryText: 5, deliveryBinary: 6 },
  ...{ raw: 7, position: 8, closed: 9 },
} as const;

/** Values of `enum event_flag`. Flags of deliveries in raw bytes are shifted left by `deliveryShift` bits. */
export const eventFlag = { exact: 1, behind: 2, held: 4 } as const;
export const deliveryShift = 4;

const commandKind = { open: 0, send: 1, post: 2, drop: 3, trust: 4 } as const;

/** Values of `enum send_kind`. */
export const sendKind = { talk: 0, data: 1, close: 2, pong: 3, ping: 4 } as const;

/**
 * Values of `enum drop_mode`. `close` says nothing after a close frame of ours. `fail` is a close that ends our
 * sending. `shut` closes without a close frame.
 */
export const dropMode = { reset: 0, close: 1, vanish: 2, fail: 3, shut: 4 } as const;

/** Sends commands of an engine to its threads. A thread ignores commands for a connection that ended. */
export class Commands {
  constructor(
    private readonly addon: NativeAddon,
    private readonly handle: Handle,
  ) {}

  open(client: number, generation: number, request: Uint8Array): void {
    this.addon.command(this.handle, commandKind.open, client, generation, 0, 0, request);
  }

  send(client: number, generation: number, message: string | Uint8Array, kind: number): boolean {
    return this.addon.command(this.handle, commandKind.send, client, generation, kind, 0, message);
  }

  /** Posts a send of the run that leaves at its instant. */
  post(client: number, generation: number, message: string | Uint8Array, dueNs: number, token: number): void {
    this.addon.command(this.handle, commandKind.post, client, generation, token, dueNs, message);
  }

  /** Drops a connection. `code` is that of a close frame, or 0 for none. */
  drop(client: number, mode: number, code = 0): void {
    this.addon.command(this.handle, commandKind.drop, client, 0, mode, code);
  }

  /** Confirms that the first `judged` items from the thread are valid. Answers to them were sent before. */
  trust(client: number, generation: number, judged: number): void {
    this.addon.command(this.handle, commandKind.trust, client, generation, judged, 0);
  }
}
