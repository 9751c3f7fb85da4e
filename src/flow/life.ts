import type { Membership } from '../scenarios/books/marks/judge.js';
import type { Conn, Group, MessageTemplate, OpenOptions } from './api.js';
import { ClientDraws } from './client/draws.js';
import { ClientMe, type MeMeans } from './client/me.js';
import { Waits } from './client/waits.js';
import { FlowConn } from './conn/conn.js';
import type { ConnMeans } from './conn/conn-socket.js';
import { rowFor } from './data.js';
import { FlowHttp } from './http/http.js';
import type { FlowWorker, SharedFlow } from './parts.js';
import { type MessageMaker, messageMaker } from './sends.js';
import { type FlowSocket, LifeSockets } from './sockets/sockets.js';
import { causeWithLine, lineOfError } from './user-code.js';
import { withWebSocket } from './web-socket/global-web-socket.js';
import { clientWebSocket } from './web-socket/web-socket.js';

export type LifeEnd = 'finished' | 'left' | 'ended';

/** One client's life: its flow, its sockets and its memberships. What many clients never need is made when used. */
export class ClientLife implements ConnMeans, MeMeans {
  readonly sockets = new LifeSockets(this);
  readonly waits: Waits;
  readonly number: number;
  readonly part: SharedFlow;
  readonly target: URL;
  row: unknown;
  /** Cause and line; empty unless it left. */
  whyLeft = '';
  #conns: readonly FlowConn[] = none;
  #memberships: Map<Membership, unknown> | undefined;
  #http: FlowHttp | undefined;
  #reached: Set<string> | undefined;
  #ownClass: typeof globalThis.WebSocket | undefined;
  #isOver = false;
  #isRunOver = false;
  #isClosing = false;
  #ended: (end: LifeEnd) => void = () => undefined;

  /** Ends the waits of a client that may have to go before the run ends. */
  readonly #ending: AbortController | undefined;

  /** `client`: its number within its worker. `drained` resolves once deliveries under way have arrived, or will not. */
  constructor(
    readonly worker: FlowWorker,
    readonly client: number,
    private readonly drained: Promise<void>,
  ) {
    const { firstClient, options, targets, waits } = worker;
    this.number = firstClient + client;
    this.part = worker.flowOf(this.number);
    this.target = targets[this.number % targets.length]!;
    // Without stages all clients end with the run.
    this.#ending = options.stages === undefined ? undefined : new AbortController();
    this.waits = this.#ending === undefined ? waits : new Waits(this.#ending.signal, waits.resumed);
  }

  get draws(): ClientDraws {
    const { draws, seed } = this.worker;
    const own = draws[this.client] ?? new ClientDraws(seed, this.number);
    draws[this.client] = own;
    return own;
  }

  get http(): FlowHttp {
    this.#http ??= new FlowHttp(this.worker.outlet, this.waits);
    return this.#http;
  }

  get WebSocket(): typeof globalThis.WebSocket {
    this.#ownClass ??= clientWebSocket({
      base: this.target,
      open: (request) => this.sockets.open(request),
      cookies: (url) => this.#http?.cookiesFor(url),
      entered: (work) => this.worker.user.entered(work),
      sent: () => this.worker.figures.count('unscheduled'),
    });
    return this.#ownClass;
  }

  /** Runs the flow to its end, then closes what is open. Never rejects. */
  run(): Promise<LifeEnd> {
    // Not async, as each promise that waits takes memory of every client.
    void this.#lived().then(
      () => this.#close('finished'),
      (error: unknown) => this.#close(this.#left(error)),
    );
    return new Promise((resolve) => {
      this.#ended = resolve;
    });
  }

  /** Only the first call counts. */
  async #close(end: LifeEnd): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (this.#reached !== undefined) this.worker.figures.reached(this.#reached);
    await Promise.all(this.#conns.map((conn) => conn.settled()));
    // What is under way at the end of the run still has to arrive.
    if (this.#isRunOver) await this.drained;
    this.#leaveAll();
    for (const conn of this.#conns) conn.stay();
    await this.sockets.close();
    this.#ended(this.#isOver && end !== 'left' ? 'ended' : end);
  }

  #lived(): Promise<unknown> {
    const { flow, namesWebSocket } = this.part;
    const begin = (): Promise<unknown> | undefined =>
      this.worker.user.entered(() => {
        try {
          return flow.client(this.#me());
        } catch (error) {
          return Promise.reject(error);
        }
      });
    return Promise.resolve(namesWebSocket ? withWebSocket(() => this.WebSocket, begin) : begin());
  }

  /** Throws `Left` if the client has no row of the data. */
  #me(): ClientMe {
    const { data } = this.part.flow;
    const life = this.worker.lives[this.client]!++;
    if (data)
      this.row = rowFor(data, { client: this.number, clients: this.worker.totalClients, life, draws: this.draws });
    return new ClientMe(this);
  }

  #left(error: unknown): LifeEnd {
    if (this.#isOver) return 'ended';
    this.whyLeft = causeWithLine(error);
    this.worker.figures.cause('left', 'left', this.whyLeft);
    return 'left';
  }

  /** Ends all waits of the flow, as the run is over or the client's time is. Its sockets then close at once. */
  end(isRunOver: boolean): void {
    this.#isOver = true;
    this.#isRunOver = isRunOver;
    this.#ending?.abort();
    for (const conn of this.#conns) conn.stopSends();
  }

  /** Goes on without the flow, whose promise may never settle. */
  cut(): void {
    void this.#close('ended');
  }

  async open(url: string | URL = this.target, options: OpenOptions = usual): Promise<Conn> {
    const address = url === this.target ? url : new URL(url, this.target);
    const { protocols = usual.protocols, headers = usual.headers, seesMarked = false } = options;
    const cookie = this.#http?.cookiesFor(address);
    const conn = new FlowConn(
      this,
      {
        url: address,
        subprotocols: typeof protocols === 'string' ? [protocols] : protocols,
        headers: cookie === undefined ? headers : { cookie, ...headers },
        seesMarked,
      },
      options,
    );
    this.#conns = this.#conns.concat(conn);
    await conn.connect();
    return conn;
  }

  check(name: string, isKept: boolean): void {
    this.worker.trace?.checked(name, isKept);
    this.#reached ??= new Set();
    this.#reached.add(this.worker.figures.check(name, isKept));
  }

  gone(conn: Conn): void {
    this.#conns = this.#conns.filter((each) => each !== conn);
  }

  line(): string {
    return lineOfError(new Error()) ?? 'in a package';
  }

  template(message: MessageTemplate): MessageMaker {
    const { draws, number, row, worker } = this;
    const drawn = draws.sequence('slot');
    const make = messageMaker(message, { client: number, row, marker: worker.marker, drawn });
    return worker.trace?.declared(make) ?? make;
  }

  /** The membership begins when `confirm` resolves. It ends with the last socket, or with `leave`. */
  async join<T>(group: string, confirm: () => Promise<T>): Promise<Group & { answer: T }> {
    const { book, hooks, nowNs } = this.worker;
    const askedNs = nowNs();
    const answer = await confirm();
    hooks.joined?.(this.client);
    const membership = book.join(this.client, group, askedNs, nowNs());
    this.#memberships ??= new Map();
    this.#memberships.set(membership, this.sockets.last);
    return {
      name: group,
      others: { group, isToAll: false },
      all: { group, isToAll: true },
      leave: () => this.#leave(membership),
      answer,
    };
  }

  lost(socket: FlowSocket): void {
    for (const [membership, of] of this.#memberships ?? []) if (of === socket) this.#leave(membership);
  }

  #leave(membership: Membership): void {
    if (this.#memberships?.delete(membership)) this.worker.book.leave(membership, this.worker.nowNs());
  }

  #leaveAll(): void {
    for (const membership of this.#memberships?.keys() ?? []) this.#leave(membership);
  }
}

const none: readonly FlowConn[] = [];
const usual = { protocols: [], headers: {} } as const;
