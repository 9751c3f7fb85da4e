import { type Cause, type ClientEvents, type Clients, sendFate } from '../../protocols/protocol.js';
import { type PublishAnswer, type PublishEvents, type PublisherContext, written } from '../scenario.js';
import { isHandedOver } from '../traffic/sends.js';

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

export type ClientPublishing = ReturnType<typeof publishByClients>;

/** Publishes over WebSockets, one for each publish loop. A broadcast is acked once it is written, or by its answer. */
export function publishByClients(context: Context, count: number) {
  const { byClients, load, nowNs, sleep, slice } = context;
  const isReady = new Array<boolean>(count).fill(false);
  const hasBeenReady = new Array<boolean>(count).fill(false);
  const ended = new Array<Cause | undefined>(count).fill(undefined);
  const awaited = new Map<number, Awaited>();
  const over = new AbortController();
  let clients: Clients | undefined;

  const there = (client: number): void => {
    isReady[client] = true;
    hasBeenReady[client] = true;
  };

  const comeBack = async (client: number): Promise<void> => {
    await sleep(returnMs, over.signal);
    if (!over.signal.aborted) clients?.open(client);
  };

  const left = ({ events, end }: Awaited, isWritten: boolean, writtenAtNs?: number): void => {
    if (isWritten) events.written?.(writtenAtNs);
    if (!byClients?.isAnswered) end(written);
  };

  const events: ClientEvents = {
    opened: () => undefined,
    ready(client) {
      if (byClients?.joins) clients?.subscribe(client, context.stream);
      else there(client);
    },
    subscribed: there,
    closed(client, cause) {
      isReady[client] = false;
      ended[client] = cause;
      for (const each of [...awaited.values()]) if (each.client === client) each.end(cause);
      if (hasBeenReady[client]) void comeBack(client);
    },
    resumed: () => undefined,
    deliveries: () => undefined,
    acknowledgements({ count, sequence, notBeforeNs }) {
      for (let at = 0; at < count; at++) {
        const each = awaited.get(sequence[at] as number);
        each?.events.answered?.(notBeforeNs[at] as number);
        each?.end(taken);
      }
    },
    sends({ count, token, fate, writtenAtNs }) {
      for (let at = 0; at < count; at++) {
        const each = awaited.get(token[at] as number);
        if (each === undefined) continue;
        if (fate[at] === sendFate.gone) each.end('gone');
        else if (fate[at] === sendFate.unread) each.end('unread');
        else left(each, (writtenAtNs[at] as number) > 0, writtenAtNs[at]);
      }
    },
  };

  /** Ends broadcasts whose answer did not come in time. */
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const atNs = nowNs();
      for (const each of [...awaited.values()]) if (atNs >= each.untilNs) each.end('answer-timeout');
      await sleep(returnMs, over.signal);
    }
  };

  return {
    /** Resolves when every client is ready, has ended, or has used up its connect and subscribe timeouts. */
    async open(signal: AbortSignal): Promise<void> {
      clients = await context.openClients(events);
      for (let client = 0; client < count; client++) clients.open(client);
      const untilNs = nowNs() + (load.connectTimeoutMs + load.subscribeTimeoutMs) * 1e6;
      const isOpening = (): boolean => isReady.some((each, client) => !each && ended[client] === undefined);
      while (isOpening() && nowNs() < untilNs && !signal.aborted) await sleep(tickMs, signal);
      void watch();
    },
    async publish(sequence: number, events: PublishEvents): Promise<PublishAnswer> {
      const stream = context.streams?.nameFor(sequence) ?? context.stream;
      const client = Math.floor(sequence / slice.of) % count;
      const to = clients;
      if (!isReady[client] || !to) return ended[client] ?? 'connect-timeout';
      events.sent?.();
      return new Promise((resolve) => {
        const end = (answer: PublishAnswer): void => {
          awaited.delete(sequence);
          resolve(answer);
        };
        const each = { client, events, end, untilNs: nowNs() + load.publishTimeoutMs * 1e6 };
        awaited.set(sequence, each);
        const isAhead = to.sendsAhead === true;
        if (to.broadcast?.(client, stream, sequence, isAhead ? nowNs() : 0) === false) end('unread');
        else if (!isAhead) left(each, isHandedOver(to, client));
      });
    },
    dispose(): void {
      over.abort();
      for (const each of [...awaited.values()]) each.end('ours');
      clients?.dispose();
    },
  };
}
