import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { hostNs, nowNs } from '../../../src/measure/rig/clock.js';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import { serve } from './child.js';

/** Describes frames with known `send()` times, sent to one client after another. */
export interface Sending {
  runId: string;
  payloadBytes: number;
  frames: number;
  everyMs: number;
}

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/ws' });
const subscribers: WebSocket[] = [];
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const { stream } = JSON.parse(data.toString()) as { stream: string };
    socket.send(JSON.stringify({ type: 'subscribed', stream }));
    subscribers.push(socket);
  });
});

const commands = {
  async port(): Promise<number> {
    if (server.address() === null) await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },

  /** Sends frame n to subscriber n modulo their count. Returns CLOCK_MONOTONIC before and after each `send()`. */
  async send({ runId, payloadBytes, frames, everyMs }: Sending): Promise<number[]> {
    const format = payloadFormat(runId, payloadBytes);
    const times: number[] = [];
    const startMs = performance.now();
    for (let sequence = 0; sequence < frames; sequence++) {
      const earlyMs = startMs + sequence * everyMs - performance.now();
      if (earlyMs > 0) await delay(earlyMs);
      const text = format.text(0, sequence);
      const beforeNs = nowNs();
      // Node hands a frame to the kernel in this call, as long as the kernel accepts it.
      subscribers[sequence % subscribers.length]?.send(text);
      times.push(hostNs(beforeNs), hostNs(nowNs()));
    }
    return times;
  },
};

export type SenderCommands = typeof commands;

serve(commands);
