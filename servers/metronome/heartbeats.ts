/** Beats in one round of all clients: few are pinged at once, so that no delivery waits for a crowd of pings. */
const slots = 150;

/** Someone who is to be pinged. */
interface Pinged {
  readonly index: number;
  say(text: string): void;
}

/** Pings every client once in `everyMs`, each at its own moment of the round. */
export class Heartbeats {
  /** Between two calls of `beat`. */
  readonly beatMs: number;
  readonly #text: () => string;
  readonly #clients: Set<Pinged>[] = Array.from({ length: slots }, () => new Set());
  #slot = 0;

  constructor({ everyMs, text }: { everyMs: number; text(): string }) {
    this.beatMs = everyMs / slots;
    this.#text = text;
  }

  add(client: Pinged): void {
    this.#clients[client.index % slots]?.add(client);
  }

  delete(client: Pinged): void {
    this.#clients[client.index % slots]?.delete(client);
  }

  /** Pings those whose turn it is. */
  beat(): void {
    this.#slot = (this.#slot + 1) % slots;
    const clients = this.#clients[this.#slot] as Set<Pinged>;
    if (clients.size === 0) return;
    const text = this.#text();
    for (const client of clients) client.say(text);
  }
}
