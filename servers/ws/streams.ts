import { WebSocket } from 'ws';

/** Who is subscribed to what. */
export class Streams {
  readonly #subscribers = new Map<string, Set<WebSocket>>();

  subscribe(stream: string, socket: WebSocket): void {
    const subscribers = this.#subscribers.get(stream);
    if (subscribers === undefined) this.#subscribers.set(stream, new Set([socket]));
    else subscribers.add(socket);
  }

  unsubscribe(stream: string, socket: WebSocket): void {
    const subscribers = this.#subscribers.get(stream);
    if (subscribers?.delete(socket) && subscribers.size === 0) this.#subscribers.delete(stream);
  }

  /** Sends a text message to every subscriber but `except`; gives how many those were. */
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

// A Buffer is encoded once for all subscribers where a string would be once for each; without this it would leave as a binary message.
const asText = { binary: false };
