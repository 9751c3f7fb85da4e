import { once } from 'node:events';
import { io, type Socket } from 'socket.io-client';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from './ws-json-client.js';

/** A client of a server under test, whatever it speaks, and all that it heard, in order. */
export interface Talker<S = unknown> {
  socket: S;
  heard: unknown[];
  subscribe(stream: string): Promise<void>;
  leave(stream: string): void;
  whisper(stream: string, payload: unknown): void;
  /** Gives what an echo of that comes back as. What was on its way before is in `heard` then. */
  echo(value: unknown): Promise<unknown>;
  end(): void;
}

/** How clients of a kind of server talk, and what they hear of a publish and of a whisper. */
export interface TalkerKind<S = unknown> {
  open(wsUrl: string): Promise<Talker<S>>;
  published(data: string): unknown;
  whispered(stream: string, payload: unknown): unknown;
}

export const wsJsonTalkers: TalkerKind<WebSocket> = {
  async open(url) {
    const socket = new WebSocket(url);
    const heard: unknown[] = [];
    socket.on('message', (data, isBinary) => heard.push(isBinary ? `binary ${data}` : String(data)));
    await once(socket, 'open');
    const say = (message: unknown) => socket.send(JSON.stringify(message));
    const answered = async (text: string) => {
      await expect.poll(() => heard.at(-1), eventually).toBe(text);
      return heard.pop();
    };
    return {
      ...{ socket, heard, end: () => socket.terminate() },
      async subscribe(stream) {
        say({ type: 'subscribe', stream });
        await answered(JSON.stringify({ type: 'subscribed', stream }));
      },
      leave: (stream) => say({ type: 'unsubscribe', stream }),
      whisper: (stream, payload) => say({ type: 'whisper', stream, payload }),
      async echo(payload) {
        // Two blanks: it comes back to the letter.
        const text = `{"type":"echo",  "payload":${JSON.stringify(payload)}}`;
        socket.send(text);
        return JSON.parse(String(await answered(text))).payload;
      },
    };
  },
  published: (data) => data,
  whispered: (stream, payload) => JSON.stringify({ type: 'whisper', stream, payload }),
};

export const socketioTalkers: TalkerKind<Socket> = {
  async open(url) {
    const socket = io(new URL(url).origin, { transports: ['websocket'], forceNew: true, reconnectionDelay: 7 });
    const heard: unknown[] = [];
    socket.on('message', (message) => heard.push(message));
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const asked = socket.timeout(eventually.timeout);
    return {
      ...{ socket, heard, end: () => void socket.disconnect() },
      subscribe: (stream) => asked.emitWithAck('join', stream).then(() => undefined),
      leave: (stream) => void socket.emit('leave', stream),
      whisper: (stream, payload) => void socket.emit('whisper', stream, payload),
      echo: (value) => asked.emitWithAck('echo', value),
    };
  },
  published: (data) => JSON.parse(data),
  whispered: (_stream, payload) => payload,
};
