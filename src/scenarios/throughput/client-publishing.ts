import type { Cause, ClientEvents, Clients } from '../../protocols/protocol.js';
import { type PublishWay, written } from '../broadcasts/publisher.js';
import type { PublishEvents, PublisherContext } from '../scenario.js';
import { isHandedOver } from '../sends/handed-over.js';
import { publishingClients, type ThroughputOptions } from './options.js';

const tickMs = 5;

/** Publishes over one WebSocket per publish loop. A broadcast counts as acked once it is written. */
export class ClientPublishing implements PublishWay {
  readonly #isReady: boolean[];
  readonly #ended: (Cause | undefined)[];
  #clients: Clients | undefined;

  constructor(private readonly context: PublisherContext<ThroughputOptions>) {
    const count = publishingClients(context.options, context.load);
    this.#isReady = new Array<boolean>(count).fill(false);
    this.#ended = new Array<Cause | undefined>(count).fill(undefined);
  }

  /** Resolves when every client is there, or has ended, or has had the time for it. */
  async open(signal: AbortSignal): Promise<void> {
    const { load, nowNs, sleep } = this.context;
    const clients = await this.context.openClients(this.#events());
    this.#clients = clients;
    this.#isReady.forEach((_, client) => {
      clients.open(client);
    });
    const untilNs = nowNs() + (load.connectTimeoutMs + load.subscribeTimeoutMs) * 1e6;
    const isOpening = (): boolean =>
      this.#isReady.some((isReady, client) => !isReady && this.#ended[client] === undefined);
    while (isOpening() && nowNs() < untilNs && !signal.aborted) await sleep(tickMs, signal);
  }

  #events(): ClientEvents {
    return {
      opened: () => undefined,
      ready: (client) => {
        this.#isReady[client] = true;
      },
      subscribed: () => undefined,
      closed: (client, cause) => {
        this.#isReady[client] = false;
        this.#ended[client] = cause;
      },
      resumed: () => undefined,
      deliveries: () => undefined,
    };
  }

  async publish(sequence: number, events: PublishEvents): Promise<string | typeof written> {
    const { slice, stream } = this.context;
    const client = Math.floor(sequence / slice.of) % this.#isReady.length;
    if (!this.#isReady[client]) return this.#ended[client] ?? 'connect-timeout';
    events.sent?.();
    if (this.#clients?.broadcast?.(client, stream, sequence) === false) return 'unread';
    if (isHandedOver(this.#clients, client)) events.written?.();
    return written;
  }

  dispose(): void {
    this.#clients?.dispose();
  }
}
