import { WebSocket } from 'ws';
import { causeOfCloseCode, causeOfError } from '../../protocols/library/clients.js';
import { SequenceScan } from '../../wire/frames/sequence-scan.js';
import { mostUnsentBytes } from '../../wire/send-queue.js';
import { DeliveryBatcher } from '../../wire/turns.js';
import { type Cause, wholeMessage } from '../../wire/wire.js';
import type { FlowSocket, OpenSockets, SocketMeans, SocketRequest } from './sockets.js';

const batchCapacity = 1024;

/** Sockets of the package `ws`: the proof from outside that both see the same. Times hold this loop's delay. */
export class WsSockets implements OpenSockets {
  readonly #scan: SequenceScan;
  readonly #batcher: DeliveryBatcher;
  readonly #open = new Set<WebSocket>();

  constructor(
    private readonly means: Omit<SocketMeans, 'createEngine' | 'sends'>,
    private readonly nowNs: () => number,
  ) {
    this.#scan = new SequenceScan(means.shared.scan);
    this.#batcher = new DeliveryBatcher((batch) => means.deliveries(batch), batchCapacity);
  }

  open({ url, subprotocols, headers, seesMarked, client, events }: SocketRequest): FlowSocket {
    const { localAddresses, caPem, isInsecure, connectTimeoutMs } = this.means.shared;
    const localAddress = localAddresses[client % Math.max(1, localAddresses.length)];
    const fromNs = this.nowNs();
    const socket = new WebSocket(url, [...subprotocols], {
      headers: { ...headers },
      handshakeTimeout: connectTimeoutMs,
      ...(localAddress !== undefined && { localAddress }),
      ...(caPem !== undefined && { ca: caPem }),
      ...(isInsecure && { rejectUnauthorized: false }),
    });
    this.#open.add(socket);
    let wasOpen = false;
    let cause: Cause | undefined;
    socket.on('open', () => {
      wasOpen = true;
      const upgradeNs = this.nowNs() - fromNs;
      events.opened(socket.protocol, { tcpNs: upgradeNs, upgradeNs, leastNs: 0 });
    });
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.#batcher.stamp();
      const sequence = this.#scan.find(data, 0, data.length);
      if (sequence >= 0) this.#batcher.add(client, sequence, 0);
      if (sequence < 0 || seesMarked) events.message(data, isBinary, this.#batcher.lastStampNs, 0);
    });
    // An error comes before its close event and says more.
    socket.on('error', (error) => {
      cause ??= causeOfError(error);
    });
    socket.on('close', (code, reason) => {
      this.#open.delete(socket);
      events.closed(cause ?? causeOfCloseCode(code), wasOpen, code, reason.toString());
    });
    const isOpen = (): boolean => socket.readyState === WebSocket.OPEN && socket.bufferedAmount < mostUnsentBytes;
    return {
      send(message) {
        if (!isOpen()) return false;
        socket.send(wholeMessage(message));
        return true;
      },
      sendsAhead: false,
      sendAt: () => false,
      ping: (payload) => isOpen() && socket.ping(payload),
      close(code, reason) {
        cause ??= 'ours';
        socket.close(code, reason);
      },
      drop(mode, of = 'ours') {
        cause ??= of;
        if (mode === 'vanish') socket.pause();
        else socket.terminate();
      },
      get buffered() {
        return socket.bufferedAmount;
      },
      leftAtNs: () => (socket.bufferedAmount === 0 ? this.nowNs() : Number.POSITIVE_INFINITY),
    };
  }

  stats(): [] {
    return [];
  }

  dispose(): void {
    this.#batcher.discard();
    for (const socket of this.#open) socket.terminate();
  }
}
