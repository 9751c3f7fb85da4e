/** Windows per client; after that the last one grows to hold the rest. */
const windowsAtMost = 256;

interface Window {
  fromNs: number;
  /** Infinite while the client is away. */
  toNs: number;
}

/** When each client was away: from a lost connection until its confirmed subscription. */
export class Windows {
  readonly #ofClient: Window[][];

  constructor(clients: number) {
    this.#ofClient = Array.from({ length: clients }, () => []);
  }

  begin(client: number, fromNs: number): void {
    const windows = this.#ofClient[client] as Window[];
    const last = windows.at(-1);
    if (last !== undefined && windows.length === windowsAtMost) last.toNs = Number.POSITIVE_INFINITY;
    else windows.push({ fromNs, toNs: Number.POSITIVE_INFINITY });
  }

  end(client: number, toNs: number): void {
    const last = this.#ofClient[client]?.at(-1);
    if (last !== undefined) last.toNs = toNs;
  }

  touches(client: number, fromNs: number, toNs: number): boolean {
    return (this.#ofClient[client] as Window[]).some((window) => window.fromNs <= toNs && window.toNs >= fromNs);
  }
}
