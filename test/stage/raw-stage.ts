import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { acceptFor } from '../../src/wire/upgrade.js';
import type { Engine, WireSetup } from '../../src/wire/wire.js';
import type { EngineMaker } from '../doubles/engines.js';
import { WireRecorder } from '../doubles/wire-recorder.js';

/** What an engine is set up with where a test has nothing to say about it. Deliveries hold `#n` and three digits. */
export const plainSetup = {
  ...{ subprotocols: [], headers: {}, localAddresses: [], isInsecure: false, connectTimeoutMs: 86_399_993 },
  numberOf: (client: number) => client,
  scan: { marker: '#n', sequenceOffset: 2, sequenceDigits: 3 },
} satisfies Partial<WireSetup>;

/** The head of a 101 to a request. */
export function acceptance(request: Buffer): string {
  const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(request.toString('latin1'))?.[1] ?? '';
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  return [...lines, `Sec-WebSocket-Accept: ${acceptFor(key)}`, '', ''].join('\r\n');
}

/** Answers the upgrade, then leaves the socket to the test. */
export function accepting(socket: net.Socket): void {
  socket.once('data', (request: Buffer) => socket.write(acceptance(request)));
}

/** First bytes and payloads of short masked frames, without their keys. */
export function unmasked(bytes: Buffer): [first: number, payload: Buffer][] {
  const frames: [number, Buffer][] = [];
  for (let at = 0; at + 6 <= bytes.length; ) {
    const end = at + 6 + (bytes[at + 1]! & 0x7f);
    const key = bytes.subarray(at + 2, at + 6);
    frames.push([bytes[at]!, Buffer.from(bytes.subarray(at + 6, end).map((byte, i) => byte ^ key[i & 3]!))]);
    at = end;
  }
  return frames;
}

/** A target that does with each connection what a test says, and an engine that reaches it. */
export class RawStage {
  server!: net.Server;
  sockets: net.Socket[] = [];
  sink!: WireRecorder;
  engine!: Engine;

  constructor(private readonly make: EngineMaker) {
    beforeEach(() => {
      this.sockets = [];
    });
    afterEach(() => this.end());
  }

  async listen(onSocket: (socket: net.Socket) => void, overrides: Partial<WireSetup> = {}): Promise<void> {
    this.server = net.createServer({ allowHalfOpen: true }, (socket) => {
      this.sockets.push(socket);
      socket.setNoDelay(true);
      // A client that resets is the matter of the test, not an error of its target.
      socket.on('error', () => socket.destroy());
      onSocket(socket);
    });
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    this.sink = new WireRecorder();
    const url = `ws://127.0.0.1:${(this.server.address() as net.AddressInfo).port}`;
    this.engine = this.make({ url, ...plainSetup, capacity: 7, ...overrides }, this.sink);
  }

  /** Opens a client and gives the target's end of it. */
  async open(client: number): Promise<net.Socket> {
    const times = 1 + this.sink.events.filter((event) => event === `opened ${client}`).length;
    this.engine.open(client);
    await this.sink.untilEvent(`opened ${client}`, times);
    return this.sockets.at(-1)!;
  }

  async end(): Promise<void> {
    this.engine.dispose();
    for (const socket of this.sockets) socket.destroy();
    if (this.server.listening) await once(this.server.close(), 'close');
  }
}
