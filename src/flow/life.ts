import type { Membership } from '../scenarios/books/marks/memberships.js';
import { outsideText } from '../units/text.js';
import { type Conn, type Flow, type Group, Left, type Me, type OpenOptions } from './api.js';
import { causeOfFlow, FlowConn } from './conn/conn.js';
import type { ConnMeans } from './conn/conn-socket.js';
import { LifeSockets } from './sockets/life-sockets.js';
import type { Sockets } from './sockets/sockets.js';
import { withWebSocket } from './web-socket/global-web-socket.js';

/** What the life of one client needs. */
export interface LifeMeans extends ConnMeans {
  flow: Flow;
  target: URL;
  sockets: Pick<Sockets, 'open'>;
  groups: {
    join(client: number, group: string, askedNs: number, joinedNs: number): Membership;
    leave(membership: Membership, leftNs: number): void;
  };
  /** Cookies of this client for an address, as a header. */
  cookies(url: URL): string | undefined;
  /** Makes what the flow gets. Throws `Left` if the client has no row of the data. */
  me(): Me;
  WebSocket(): typeof globalThis.WebSocket;
  /** Called once at the end of the client's code. */
  ended(): void;
  /** Ends the waits of the flow. */
  ending: AbortController;
  /** Resolves once deliveries under way have arrived, or will not. */
  drained: Promise<void>;
  lineOfError(error: unknown): string | undefined;
}

export type LifeEnd = 'finished' | 'left' | 'ended';

/** One client's life: its flow, its sockets and its memberships. */
export class ClientLife {
  readonly sockets: LifeSockets;
  /** Cause and line; empty unless it left. */
  whyLeft = '';
  readonly #conns = new Set<FlowConn>();
  readonly #memberships = new Map<Membership, unknown>();
  #isOver = false;
  #isRunOver = false;
  #cut: () => void = () => undefined;

  constructor(private readonly means: LifeMeans) {
    this.sockets = new LifeSockets(means.sockets, means.client, means.figures, (socket) => this.#lost(socket));
  }

  /** Runs the flow to its end, then closes what is open. Never rejects. */
  async run(): Promise<LifeEnd> {
    const { ended, flow, me, user } = this.means;
    const lived = withWebSocket(
      () => this.WebSocket,
      () => user.entered(async () => flow.client(me())),
    );
    const end = await new Promise<LifeEnd>((resolve) => {
      this.#cut = () => resolve('ended');
      void Promise.resolve(lived).then(
        () => resolve('finished'),
        (error: unknown) => resolve(this.#left(error)),
      );
    });
    ended();
    await Promise.all([...this.#conns].map((conn) => conn.settled()));
    // What is under way at the end of the run still has to arrive.
    if (this.#isRunOver) await this.means.drained;
    this.#leaveAll();
    for (const conn of this.#conns) conn.stay();
    await this.sockets.close();
    return this.#isOver && end !== 'left' ? 'ended' : end;
  }

  get WebSocket(): typeof globalThis.WebSocket {
    return this.means.WebSocket();
  }

  #left(error: unknown): LifeEnd {
    if (this.#isOver) return 'ended';
    const line = this.means.lineOfError(error);
    this.whyLeft = outsideText(`${causeOfFlow(error)}${line ? ` at ${line}` : ''}`);
    this.means.figures.cause('left', 'left', this.whyLeft);
    return 'left';
  }

  /** Ends all waits of the flow, as the run is over or the client's time is. Its sockets then close at once. */
  end(isRunOver: boolean): void {
    this.#isOver = true;
    this.#isRunOver = isRunOver;
    this.means.ending.abort();
    const error = new Left('ended', 'the client has to go');
    for (const conn of this.#conns) conn.fail(error);
  }

  /** Goes on without the flow, whose promise may never settle. */
  cut(): void {
    this.#cut();
  }

  async open(url: string | URL = this.means.target, options: OpenOptions = {}): Promise<Conn> {
    const address = new URL(url, this.means.target);
    const { protocols = [], headers = {}, seesMarked = false } = options;
    const cookie = this.means.cookies(address);
    const conn = new FlowConn(
      this.means,
      {
        url: address,
        subprotocols: typeof protocols === 'string' ? [protocols] : protocols,
        headers: cookie === undefined ? headers : { cookie, ...headers },
        seesMarked,
      },
      options,
    );
    this.#conns.add(conn);
    void conn.closed.then(() => this.#conns.delete(conn));
    await conn.connect();
    return conn;
  }

  /**
   * The membership begins when `confirm` resolves. It ends with the socket that opened last before, or with `leave`.
   */
  async join<T>(group: string, confirm: () => Promise<T>): Promise<Group & { answer: T }> {
    const { client, groups, nowNs } = this.means;
    const askedNs = nowNs();
    const answer = await confirm();
    const membership = groups.join(client, group, askedNs, nowNs());
    this.#memberships.set(membership, this.sockets.last);
    return {
      name: group,
      others: { group, isToAll: false },
      all: { group, isToAll: true },
      leave: () => this.#leave(membership),
      answer,
    };
  }

  #lost(socket: unknown): void {
    for (const [membership, of] of this.#memberships) if (of === socket) this.#leave(membership);
  }

  #leave(membership: Membership): void {
    if (this.#memberships.delete(membership)) this.means.groups.leave(membership, this.means.nowNs());
  }

  #leaveAll(): void {
    for (const membership of this.#memberships.keys()) this.#leave(membership);
  }
}
