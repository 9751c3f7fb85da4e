import { WebSocket } from 'ws';

// A Buffer is encoded once for all subscribers, a string once for each. Without this option it would be sent as binary.
const asText = { binary: false };

/** Holds the subscribers of each stream. */
export class Streams {
  readonly #subscribers = new Map<string, Set<WebSocket>>();
  readonly #held = new Map<WebSocket, Set<string>>();

  subscribe(stream: string, socket: WebSocket): void {
    this.#subscribers.set(stream, (this.#subscribers.get(stream) ?? new Set()).add(socket));
    this.#held.set(socket, (this.#held.get(socket) ?? new Set()).add(stream));
  }

  unsubscribe(stream: string, socket: WebSocket): void {
    this.#held.get(socket)?.delete(stream);
    const subscribers = this.#subscribers.get(stream);
    if (subscribers?.delete(socket) && subscribers.size === 0) this.#subscribers.delete(stream);
  }

  leave(socket: WebSocket): void {
    for (const stream of this.#held.get(socket) ?? []) this.unsubscribe(stream, socket);
    this.#held.delete(socket);
  }

  /** Sends text to every subscriber but `except`. Returns their number. */
  send(stream: string, text: Buffer, except?: WebSocket): number {
    let sent = 0;
    for (const socket of this.#subscribers.get(stream) ?? []) {
      if (socket === except || socket.readyState !== WebSocket.OPEN) continue;
      socket.send(text, asText);
      sent++;
    }
    return sent;
  }
}
