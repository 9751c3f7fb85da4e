import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Engine, OpenRequest, WireSetup } from '../../src/wire/wire.js';
import type { EngineMaker } from '../doubles/engines.js';
import { WireRecorder } from '../doubles/wire-recorder.js';

export const capacity = 17;

/** A server of the `ws` package for each test of a suite, and engines that reach it. */
export class WireStage {
  server!: WebSocketServer;
  sink!: WireRecorder;
  #engines: Engine[] = [];

  constructor(private readonly make: EngineMaker) {
    beforeEach(() => this.#begin());
    afterEach(() => this.#end());
  }

  async #begin(): Promise<void> {
    this.server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true });
    await once(this.server, 'listening');
    this.sink = new WireRecorder();
  }

  async #end(): Promise<void> {
    for (const engine of this.#engines.splice(0)) engine.dispose();
    for (const client of this.server.clients) client.terminate();
    this.server.close();
    await once(this.server, 'close');
  }

  createEngine(overrides: Partial<WireSetup> = {}): Engine {
    const { port } = this.server.address() as AddressInfo;
    const engine = this.make(
      {
        url: `ws://127.0.0.1:${port}/live?token=7`,
        subprotocols: [],
        headers: {},
        numberOf: (client) => client,
        localAddresses: [],
        isInsecure: false,
        connectTimeoutMs: 30_011,
        capacity,
        scan: { marker: '"n":"', sequenceOffset: 5, sequenceDigits: 5 },
        ...overrides,
      },
      this.sink,
    );
    this.#engines.push(engine);
    return engine;
  }

  /** Opens a client and gives the server's end of it. */
  async open(
    engine: Engine,
    client: number,
    own?: OpenRequest,
  ): Promise<{ socket: WebSocket; request: IncomingMessage }> {
    const connected = once(this.server, 'connection');
    const before = this.sink.openTimes.length;
    engine.open(client, own);
    const [socket, request] = (await connected) as [WebSocket, IncomingMessage];
    await this.sink.until(() => this.sink.openTimes.length > before);
    return { socket, request };
  }
}

/** A message with that number, as the scan rule of the stage finds it. */
export const delivery = (sequence: number, padding = ''): string =>
  `{"p":"${padding}","n":"${String(sequence).padStart(5, '0')}"}`;
