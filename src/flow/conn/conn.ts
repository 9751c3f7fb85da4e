import {
  type Any,
  type Bookmark,
  type Conn,
  type Declared,
  type FlowMessage,
  Left,
  type Match,
  type MessageTemplate,
  type OpenOptions,
  type Schedule,
  type Time,
} from '../api.js';
import { msOf } from '../client/time.js';
import { failureAt } from '../module/line.js';
import { type Instants, instantsAt, instantsEvery, instantsOver } from '../sends/instants.js';
import type { FlowSocket, SocketRequest } from '../sockets/sockets.js';
import { type ConnMeans, ConnSocket, type PendingAsk, type SocketEnd } from './conn-socket.js';
import { InboxMessage } from './inbox.js';

const usualWithin = '10s';
const closeWithinMs = 5000;

/** A socket as a flow sees it. */
export class FlowConn implements Conn {
  readonly #socket: ConnSocket;
  readonly #means: ConnMeans;
  #lastAsk = 0;

  constructor(means: ConnMeans, upgrade: Omit<SocketRequest, 'client' | 'events'>, options: OpenOptions) {
    this.#means = means;
    this.#socket = new ConnSocket(means, upgrade, options, this);
  }

  get closed(): Promise<SocketEnd> {
    return this.#socket.ended;
  }

  connect(): Promise<void> {
    return this.#socket.connect();
  }

  /** Ends all waits of the flow for this socket, and its schedules. */
  fail(error: Left): void {
    this.#socket.stopSends();
    this.#socket.fail(error);
  }

  send(message: string | Uint8Array | object): void {
    const socket = this.#socket.open;
    if (!socket?.send(textIn(message))) throw new Left(socket ? 'unread' : 'gone', 'the socket takes no message');
    this.#means.worker.figures.count('unscheduled');
  }

  ask<M = Any>(message: object, options: { name?: string; within?: Time; match?: Match<M> } = {}): Promise<M> {
    const { name, within = usualWithin, match } = options;
    const { figures, nowNs, user } = this.#means.worker;
    const id = match === undefined ? ((message as { id?: unknown }).id ?? ++this.#lastAsk) : Symbol('asked');
    const text = match === undefined ? textIn({ ...message, id }) : textIn(message);
    figures.count('asks');
    const withinMs = msOf(within, 'within');
    return new Promise<M>((resolve, reject) => {
      const sentAtNs = nowNs();
      let writtenAtNs = 0;
      const settle = (answer: InboxMessage | Left): void => {
        clearTimeout(timer);
        this.#socket.asks.delete(id);
        user.resumed();
        if (answer instanceof InboxMessage) {
          figures.count('asksAnswered');
          figures.named('ask', name, answer.at * 1000 - sentAtNs / 1000);
          if (writtenAtNs > 0) figures.time('askAtLeast', answer.notBefore * 1000 - writtenAtNs / 1000);
          resolve(answer.json as M);
        } else {
          figures.cause('asksUnanswered', 'ask', answer.cause);
          reject(failureAt(late, answer));
        }
      };
      const late = new Left('answer-timeout', `no answer${name ? ` to ${name}` : ''} within ${withinMs} ms`);
      const timer = setTimeout(() => settle(late), withinMs);
      const asked: PendingAsk = { match: match as Match | undefined, settle };
      this.#socket.asks.set(id, asked);
      const socket = this.#socket.open;
      // Later, so that a flow that asks again and again leaves the others their time.
      if (!socket?.send(text))
        setImmediate(settle, new Left(socket ? 'unread' : 'gone', 'the socket takes no message'));
      else if (socket.buffered === 0) writtenAtNs = nowNs();
    });
  }

  next<M = Any>(
    match?: Match<M>,
    { within = usualWithin, since }: { within?: Time; since?: Bookmark } = {},
  ): Promise<FlowMessage<M>> {
    const found = this.#socket.inbox.taken(match as Match | undefined, since?.after);
    if (found !== undefined) return Promise.resolve(found);
    return this.#wait(match as Match | undefined, msOf(within, 'within'));
  }

  #wait(match: Match | undefined, withinMs: number): Promise<InboxMessage> {
    return new Promise((resolve, reject) => {
      const { user } = this.#means.worker;
      const over = (settle: () => void): void => {
        clearTimeout(timer);
        user.resumed();
        settle();
      };
      const end = this.#socket.inbox.wait(
        match,
        (message) => over(() => resolve(message)),
        (error) => over(() => reject(failureAt(late, error))),
      );
      const late = new Left('within', `no message within ${withinMs} ms`);
      const timer = setTimeout(() => end(late), withinMs);
    });
  }

  async *inbox<M = Any>(match?: Match<M>, { until }: { until?: Time } = {}): AsyncGenerator<FlowMessage<M>> {
    const { nowNs } = this.#means.worker;
    const endMs = until === undefined ? Number.POSITIVE_INFINITY : nowNs() / 1e6 + msOf(until, 'until');
    for (;;) {
      const leftMs = Math.min(endMs - nowNs() / 1e6, longestWaitMs);
      const found =
        this.#socket.inbox.taken(match as Match | undefined) ??
        (leftMs > 0 ? await this.#wait(match as Match | undefined, leftMs).catch(asLeft) : undefined);
      if (found instanceof InboxMessage) yield found as FlowMessage<M>;
      else if (found?.cause !== 'within' || leftMs < longestWaitMs) return;
    }
  }

  on<M = Any>(match: Match<M>, then: (message: FlowMessage<M>) => void): () => void {
    return this.#socket.inbox.listen(match as Match, then);
  }

  mark(): Bookmark {
    return { after: this.#socket.place };
  }

  every(period: Time | { perSecond: number; poisson?: boolean }, message: MessageTemplate, options: Declared = {}) {
    return this.#declare(
      instantsEvery(period, this.#means.worker.nowNs(), options, this.#means.draws.sequence('schedule')),
      message,
      options,
    );
  }

  at(times: readonly Time[], message: MessageTemplate, options: Declared = {}): Schedule {
    return this.#declare(instantsAt(times, this.#means.worker.nowNs(), options), message, options);
  }

  burst(count: number, message: MessageTemplate, options: Declared & { over?: Time } = {}): Schedule {
    return this.#declare(instantsOver(count, options.over, this.#means.worker.nowNs(), options), message, options);
  }

  #declare(dueNs: Instants, message: MessageTemplate, options: Declared): Schedule {
    const { client, worker } = this.#means;
    const { name = this.#means.line(), owed, answer, exact: isExact = false } = options;
    const sends = worker.clock.start({
      ...{ client, owed, isAnswered: answer !== undefined, isExact, dueNs, ...(name && { name }) },
      message: this.#means.template(message),
      socket: () => this.#socket.open,
    });
    this.#socket.schedules.add(sends);
    void sends.done.then(() => this.#socket.schedules.delete(sends));
    return sends;
  }

  /** Resolves when every declared send of this socket has left or failed. */
  async settled(): Promise<void> {
    const schedules = [...this.#socket.schedules];
    for (const each of schedules) each.stop();
    await Promise.all(schedules.map(({ done }) => done));
  }

  async close(code = 1000, reason = ''): Promise<void> {
    await this.settled();
    this.#socket.endBy((socket) => socket.close(code, reason));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeWithinMs);
    });
    await Promise.race([this.closed, late]);
    clearTimeout(timer);
  }

  /** Makes no further attempt to connect. */
  stay(): void {
    this.#socket.endBy(() => undefined);
  }

  drop(how: 'reset' | 'vanish'): void {
    this.#socket.endBy((socket: FlowSocket) => socket.drop(how));
  }
}

/** Node's timers take no longer wait. */
const longestWaitMs = 2 ** 31 - 1;

function asLeft(error: unknown): Left {
  if (error instanceof Left) return error;
  throw error;
}

function textIn(message: string | Uint8Array | object): string | Uint8Array {
  return typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message);
}
