import { longestMs } from '../../units/unit.js';
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
import { msOf } from '../client/waits.js';
import { type Instants, instantsAt, instantsEvery, instantsOver } from '../sends.js';
import type { FlowSocket, SocketRequest } from '../sockets/sockets.js';
import { type ConnMeans, ConnSocket, type SocketEnd } from './conn-socket.js';
import type { InboxMessage } from './inbox.js';

const usualWithin = '10s';
const closeWithinMs = 5000;

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

  stopSends(): void {
    this.#socket.stopSends();
  }

  send(message: string | Uint8Array | object): void {
    const socket = this.#socket.open;
    if (!socket?.send(textIn(message))) throw untaken(socket);
    this.#means.worker.figures.count('unscheduled');
  }

  ask<M = Any>(message: object, options: { name?: string; within?: Time; match?: Match<M> } = {}): Promise<M> {
    const { name, within = usualWithin, match } = options;
    const { inbox } = this.#socket;
    const { figures, nowNs } = this.#means.worker;
    const id = match === undefined ? ((message as { id?: unknown }).id ?? ++this.#lastAsk) : Symbol('asked');
    const text = match === undefined ? textIn({ ...message, id }) : textIn(message);
    const withinMs = msOf(within, 'within');
    figures.count('asks');
    return this.#means.waits.wait<M>(
      (wait) => {
        const sentAtNs = nowNs();
        let writtenAtNs = 0;
        const answered = (answer: InboxMessage): void => {
          figures.count('asksAnswered');
          figures.named('ask', name, answer.at * 1000 - sentAtNs / 1000);
          if (writtenAtNs > 0) figures.time('askAtLeast', answer.notBefore * 1000 - writtenAtNs / 1000);
          wait.done(answer.json as M);
        };
        inbox.asks.set(id, { match: match as Match | undefined, wait, answered });
        const socket = this.#socket.open;
        // Later, so that a flow that asks again and again leaves the others their time.
        if (!socket?.send(text)) setImmediate(() => wait.fail(untaken(socket)));
        else if (socket.buffered === 0) writtenAtNs = nowNs();
        return () => inbox.asks.delete(id);
      },
      {
        withinMs,
        cause: 'answer-timeout',
        message: `no answer${name ? ` to ${name}` : ''} within ${withinMs} ms`,
        failed: ({ cause }) => figures.cause('asksUnanswered', 'ask', cause),
      },
    );
  }

  next<M = Any>(
    match?: Match<M>,
    { within = usualWithin, since }: { within?: Time; since?: Bookmark } = {},
  ): Promise<FlowMessage<M>> {
    const { inbox } = this.#socket;
    const found = inbox.taken(match as Match | undefined, since?.after);
    if (found !== undefined) return Promise.resolve(found);
    const withinMs = msOf(within, 'within');
    const limit = { withinMs, cause: 'within', message: `no message within ${withinMs} ms` };
    return this.#means.waits.wait<InboxMessage>((wait) => inbox.wait(match as Match | undefined, wait), limit);
  }

  async *inbox<M = Any>(match?: Match<M>, { until }: { until?: Time } = {}): AsyncGenerator<FlowMessage<M>> {
    const { nowNs } = this.#means.worker;
    const endMs = until === undefined ? Number.POSITIVE_INFINITY : nowNs() / 1e6 + msOf(until, 'until');
    for (;;) {
      const leftMs = Math.min(Math.max(0, endMs - nowNs() / 1e6), longestMs);
      const found = await this.next(match, { within: leftMs }).catch(asLeft);
      if (!(found instanceof Left)) yield found;
      else if (found.cause !== 'within' || leftMs < longestMs) return;
    }
  }

  on<M = Any>(match: Match<M>, then: (message: FlowMessage<M>) => void): () => void {
    return this.#socket.inbox.listen(match as Match, then);
  }

  mark(): Bookmark {
    return { after: this.#socket.inbox.place };
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
    this.#socket.endBy((socket) => socket.drop(how));
  }
}

function untaken(socket: FlowSocket | undefined): Left {
  return new Left(socket ? 'unread' : 'gone', 'the socket takes no message');
}

function asLeft(error: unknown): Left {
  if (error instanceof Left) return error;
  throw error;
}

function textIn(message: string | Uint8Array | object): string | Uint8Array {
  return typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message);
}
