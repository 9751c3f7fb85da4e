import type { Membership } from '../scenarios/books/marks/judge.js';
import type { FlowHooks } from '../scenarios/flow/options.js';
import type { SendClock } from '../scenarios/traffic/send-clock.js';
import { outsideText } from '../units/text.js';
import type { SendMessage } from '../wire/wire.js';
import { type Conn, type Flow, type Group, Left, type MessageTemplate, type OpenOptions } from './api.js';
import { type Checks, ClientChecks } from './client/checks.js';
import { ClientDraws } from './client/draws.js';
import type { Gates } from './client/gates.js';
import type { FlowLog } from './client/log.js';
import { ClientMe, type MeMeans } from './client/me.js';
import type { NumberedStreams } from './client/streams.js';
import { Waits } from './client/waits.js';
import { FlowConn } from './conn/conn.js';
import { type ConnMeans, causeOfFlow } from './conn/conn-socket.js';
import { rowFor } from './data/rows.js';
import type { FlowFigures } from './figures.js';
import { FlowHttp, type HttpOutlet } from './http/http.js';
import { lineOfError } from './module/line.js';
import { messageMaker } from './sends/template.js';
import { LifeSockets } from './sockets/life-sockets.js';
import type { FlowSocket, Sockets } from './sockets/sockets.js';
import type { FlowTrace, MessageMaker } from './trace.js';
import type { UserTime } from './user-time.js';
import { withWebSocket } from './web-socket/global-web-socket.js';
import { clientWebSocket } from './web-socket/web-socket.js';

/** A flow of the job, with the share of clients that it gets and the result of its `setup`. */
export interface SharedFlow {
  flow: Flow;
  name: string;
  weight: number;
  shared: unknown;
  /** Set if its code may use the global `WebSocket`. */
  namesWebSocket: boolean;
}

/** A flow, and the names of the metrics that it declares. */
export type FlowPart = SharedFlow & { metricNames: readonly string[] };

/** What the lives of one worker share, so that a client has nothing of it. */
export interface FlowWorker {
  firstClient: number;
  /** Addresses of the target, which clients take in turn. */
  targets: readonly URL[];
  /** Number of clients in the whole run. */
  totalClients: number;
  seed: number;
  /** Text before the number of a mark, unique to the run. */
  marker: string;
  nowNs(): number;
  sockets: Pick<Sockets, 'open'>;
  clock: SendClock<SendMessage>;
  book: {
    join(client: number, group: string, askedNs: number, joinedNs: number): Membership;
    leave(membership: Membership, leftNs: number): void;
  };
  figures: FlowFigures;
  hooks: FlowHooks;
  user: UserTime;
  outlet: HttpOutlet;
  /** The waits of clients that stay until the run ends. */
  waits: Waits;
  gates: Gates;
  checks: Checks;
  streams: NumberedStreams;
  log: FlowLog;
  trace: FlowTrace | undefined;
  /** Draws of each client that has drawn, which go on over its lives. */
  draws: (ClientDraws | undefined)[];
  /** Lives that each client has begun. */
  lives: Uint32Array;
}

export type LifeEnd = 'finished' | 'left' | 'ended';

/** One client's life: its flow, its sockets and its memberships. What many clients never need is made when used. */
export class ClientLife implements ConnMeans, MeMeans<unknown, unknown> {
  readonly sockets: LifeSockets;
  readonly waits: Waits;
  readonly number: number;
  readonly target: URL;
  row: unknown;
  /** Cause and line; empty unless it left. */
  whyLeft = '';
  #conns: readonly FlowConn[] = none;
  #memberships: Map<Membership, unknown> | undefined;
  #http: FlowHttp | undefined;
  #checks: ClientChecks | undefined;
  #ownClass: typeof globalThis.WebSocket | undefined;
  #isOver = false;
  #isRunOver = false;
  #isClosing = false;
  #ended: (end: LifeEnd) => void = () => undefined;

  /**
   * `client`: its number within its worker. `drained` resolves once deliveries under way have arrived, or will not.
   * `ending` ends the waits of a client that has to go before the run ends.
   */
  constructor(
    readonly worker: FlowWorker,
    readonly client: number,
    readonly part: FlowPart,
    private readonly drained: Promise<void>,
    private readonly ending: AbortController | undefined,
  ) {
    this.number = worker.firstClient + client;
    this.target = worker.targets[this.number % worker.targets.length]!;
    this.sockets = new LifeSockets(this);
    this.waits = ending === undefined ? worker.waits : new Waits(ending.signal, worker.waits.resumed);
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

  get checks(): ClientChecks {
    this.#checks ??= new ClientChecks(this.worker.checks);
    return this.#checks;
  }

  get WebSocket(): typeof globalThis.WebSocket {
    this.#ownClass ??= clientWebSocket({
      base: this.target,
      open: (request) => this.sockets.open(request),
      cookies: (url) => this.#http?.cookiesFor(url),
      entered: (work) => this.worker.user.entered(work),
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
    this.#checks?.ended();
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
  #me(): ClientMe<unknown, unknown> {
    const { data } = this.part.flow;
    const life = this.worker.lives[this.client]!++;
    if (data)
      this.row = rowFor(data, { client: this.number, clients: this.worker.totalClients, life, draws: this.draws });
    return new ClientMe(this);
  }

  #left(error: unknown): LifeEnd {
    if (this.#isOver) return 'ended';
    const line = lineOfError(error);
    this.whyLeft = outsideText(`${causeOfFlow(error)}${line ? ` at ${line}` : ''}`);
    this.worker.figures.cause('left', 'left', this.whyLeft);
    return 'left';
  }

  /** Ends all waits of the flow, as the run is over or the client's time is. Its sockets then close at once. */
  end(isRunOver: boolean): void {
    this.#isOver = true;
    this.#isRunOver = isRunOver;
    this.ending?.abort();
    const error = new Left('ended', 'the client has to go');
    for (const conn of this.#conns) conn.fail(error);
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
