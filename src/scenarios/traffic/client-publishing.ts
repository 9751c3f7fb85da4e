import {
  type Cause,
  type ClientEvents,
  type Clients,
  type DeliveryBatch,
  type SendBatch,
  sendFate,
} from '../../protocols/protocol.js';
import { type PublishAnswer, type PublishEvents, type PublisherContext, written } from '../scenario.js';
import { isHandedOver } from '../traffic/sends.js';
import type { PublishSender } from './broadcasts.js';

const tickMs = 5;
/** Milliseconds until a publisher that was cut connects again. It tries again and again. */
const returnMs = 100;
/** An answer over a WebSocket says only that the publish was accepted. HTTP status 200 marks it. */
const taken = 200;

type Context = Pick<
  PublisherContext<unknown>,
  'byClients' | 'load' | 'nowNs' | 'openClients' | 'sleep' | 'slice' | 'stream' | 'streams'
>;

interface Awaited {
  client: number;
  untilNs: number;
  events: PublishEvents;
  end(answer: PublishAnswer): void;
}

/** Publishes over WebSockets, one for each publish loop. A broadcast is acked once it is written, or by its answer. */
export class ClientPublishing implements PublishSender {
  readonly #isReady: boolean[];
  readonly #hasBeenReady: boolean[];
  readonly #ended: (Cause | undefined)[];
  readonly #awaited = new Map<number, Awaited>();
  readonly #over = new AbortController();
  #clients: Clients | undefined;

  constructor(
    private readonly context: Context,
    count: number,
  ) {
    this.#isReady = new Array<boolean>(count).fill(false);
    this.#hasBeenReady = new Array<boolean>(count).fill(false);
    this.#ended = new Array<Cause | undefined>(count).fill(undefined);
  }

  /** Resolves when every client is ready, has ended, or has used up its connect and subscribe timeouts. */
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
    void this.#watch();
  }

  #events(): ClientEvents {
    const { byClients, stream } = this.context;
    return {
      opened: () => undefined,
      ready: (client) => {
        if (byClients?.joins) this.#clients?.subscribe(client, stream);
        else this.#there(client);
      },
      subscribed: (client) => this.#there(client),
      closed: (client, cause) => this.#gone(client, cause),
      resumed: () => undefined,
      deliveries: () => undefined,
      acknowledgements: (batch) => this.#acknowledged(batch),
      sends: (batch) => this.#sent(batch),
    };
  }

  #there(client: number): void {
    this.#isReady[client] = true;
    this.#hasBeenReady[client] = true;
  }

  #gone(client: number, cause: Cause): void {
    this.#isReady[client] = false;
    this.#ended[client] = cause;
    for (const each of [...this.#awaited.values()]) if (each.client === client) each.end(cause);
    if (this.#hasBeenReady[client]) void this.#comeBack(client);
  }

  async #comeBack(client: number): Promise<void> {
    await this.context.sleep(returnMs, this.#over.signal);
    if (!this.#over.signal.aborted) this.#clients?.open(client);
  }

  publish(sequence: number, events: PublishEvents): Promise<PublishAnswer> {
    const { slice, nowNs, load } = this.context;
    const stream = this.context.streams?.nameFor(sequence) ?? this.context.stream;
    const client = Math.floor(sequence / slice.of) % this.#isReady.length;
    const clients = this.#clients;
    if (!this.#isReady[client] || !clients) return Promise.resolve(this.#ended[client] ?? 'connect-timeout');
    events.sent?.();
    return new Promise((resolve) => {
      const end = (answer: PublishAnswer): void => {
        this.#awaited.delete(sequence);
        resolve(answer);
      };
      const awaited = { client, events, end, untilNs: nowNs() + load.publishTimeoutMs * 1e6 };
      this.#awaited.set(sequence, awaited);
      const isAhead = clients.sendsAhead === true;
      if (clients.broadcast?.(client, stream, sequence, isAhead ? nowNs() : 0) === false) end('unread');
      else if (!isAhead) this.#left(awaited, isHandedOver(clients, client));
    });
  }

  #left({ events, end }: Awaited, isWritten: boolean, writtenAtNs?: number): void {
    if (isWritten) events.written?.(writtenAtNs);
    if (!this.context.byClients?.isAnswered) end(written);
  }

  #sent({ count, token, fate, writtenAtNs }: SendBatch): void {
    for (let at = 0; at < count; at++) {
      const awaited = this.#awaited.get(token[at] as number);
      if (awaited === undefined) continue;
      if (fate[at] === sendFate.gone) awaited.end('gone');
      else if (fate[at] === sendFate.unread) awaited.end('unread');
      else this.#left(awaited, (writtenAtNs[at] as number) > 0, writtenAtNs[at]);
    }
  }

  #acknowledged({ count, sequence, notBeforeNs }: DeliveryBatch): void {
    for (let at = 0; at < count; at++) {
      const awaited = this.#awaited.get(sequence[at] as number);
      awaited?.events.answered?.(notBeforeNs[at] as number);
      awaited?.end(taken);
    }
  }

  async #watch(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      const nowNs = this.context.nowNs();
      for (const each of [...this.#awaited.values()]) if (nowNs >= each.untilNs) each.end('answer-timeout');
      await this.context.sleep(returnMs, signal);
    }
  }

  dispose(): void {
    this.#over.abort();
    for (const each of [...this.#awaited.values()]) each.end('ours');
    this.#clients?.dispose();
  }
}
