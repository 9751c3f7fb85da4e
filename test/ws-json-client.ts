import { once } from 'node:events';
import { request } from 'undici';
import { expect } from 'vitest';
import { WebSocket } from 'ws';

/** Long enough for the noisiest machine: a poll ends as soon as it may. */
export const eventually = { timeout: 30_000 };

/** Clients of servers that speak `ws-json`, which a test ends together. */
export class WsJsonClients {
  #sockets: WebSocket[] = [];

  /** A client and every text that it received, in order. */
  async open(url: string) {
    const socket = new WebSocket(url);
    this.#sockets.push(socket);
    const texts: string[] = [];
    socket.on('message', (data, isBinary) => texts.push(isBinary ? `binary ${data}` : String(data)));
    await once(socket, 'open');
    const say = (message: unknown) => socket.send(JSON.stringify(message));
    return { socket, texts, say };
  }

  async subscribe(url: string, stream = 'news') {
    const client = await this.open(url);
    client.say({ type: 'subscribe', stream });
    await expect.poll(() => client.texts, eventually).toEqual([JSON.stringify({ type: 'subscribed', stream })]);
    client.texts.pop();
    return client;
  }

  terminate(): void {
    for (const socket of this.#sockets.splice(0)) socket.terminate();
  }
}

/** Publishes over HTTP, to be answered 201 and nothing. */
export async function publishTo(url: string | URL, data: string, stream = 'news'): Promise<void> {
  const answer = await request(url, { method: 'POST', body: JSON.stringify({ stream, data }) });
  expect([answer.statusCode, await answer.body.text()]).toEqual([201, '']);
}
