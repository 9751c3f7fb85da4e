import { type Conn, Left, type MessageTemplate, type OpenOptions, type Schedule } from '../api.js';
import type { ClientDraws } from '../client/draws.js';
import { msOf, type Wait, type Waits } from '../client/waits.js';
import type { FlowWorker } from '../parts.js';
import type { MessageMaker } from '../sends.js';
import type { FlowSocket, SocketEvents, SocketRequest } from '../sockets/sockets.js';
import { causeOfFlow } from '../user-code.js';
import { asJson, Inbox, InboxMessage, messageText } from './inbox.js';

export interface ConnMeans {
  client: number;
  worker: Pick<FlowWorker, 'nowNs' | 'user' | 'clock' | 'figures'>;
  draws: ClientDraws;
  waits: Waits;
  sockets: { open(request: Omit<SocketRequest, 'client'>): FlowSocket };
  /** Called once a socket has ended and does not come back. */
  gone(conn: Conn): void;
  template(message: MessageTemplate): MessageMaker;
  /** Returns the line of the user's code that calls, such as `chat.ts:14`. */
  line(): string;
}

export interface SocketEnd {
  code: number;
  reason: string;
  cause: string;
}

const nsPerMs = 1e6;

/** The socket behind a `Conn`: connects, comes back if asked to, and gives each message to who awaits it. */
export class ConnSocket implements SocketEvents {
  #inbox: Inbox | undefined;
  #schedules: Set<Schedule> | undefined;
  #socket: FlowSocket | undefined;
  #isOpen = false;
  /** Set once the flow ends the socket, so that no attempt follows. */
  #isEnding = false;
  #attempts = 0;
  #retry: NodeJS.Timeout | undefined;
  #opening: Wait<void> | undefined;
  #end: SocketEnd | undefined;
  #ended: Promise<SocketEnd> | undefined;
  #tellEnd: ((end: SocketEnd) => void) | undefined;

  constructor(
    readonly means: ConnMeans,
    private readonly upgrade: Omit<SocketRequest, 'client' | 'events'>,
    private readonly options: OpenOptions,
    private readonly conn: Conn,
  ) {}

  // Made when first used, as most of many idle clients use none of them.
  get ended(): Promise<SocketEnd> {
    this.#ended ??= new Promise((resolve) => {
      this.#tellEnd = resolve;
      if (this.#end !== undefined) resolve(this.#end);
    });
    return this.#ended;
  }

  get inbox(): Inbox {
    this.#inbox ??= new Inbox(this.means.worker, this.options);
    return this.#inbox;
  }

  get schedules(): Set<Schedule> {
    this.#schedules ??= new Set();
    return this.#schedules;
  }

  get open(): FlowSocket | undefined {
    return this.#isOpen ? this.#socket : undefined;
  }

  connect(): Promise<void> {
    return this.means.waits.wait<void>(
      (wait) => {
        this.#opening = wait;
        this.#attempt();
        return undefined;
      },
      { cause: 'gone' },
    );
  }

  #attempt(): void {
    this.#socket = this.means.sockets.open({ ...this.upgrade, events: this });
  }

  opened(): void {
    this.#isOpen = true;
    this.#opening?.done();
    this.#opening = undefined;
    if (this.#attempts > 0) this.#cameBack();
    this.#attempts = 0;
  }

  #cameBack(): void {
    const { reconnect = 'never' } = this.options;
    const { figures, user } = this.means.worker;
    const count = (error: unknown): void => figures.cause('threw', 'threw', causeOfFlow(error));
    if (reconnect !== 'never') user.entered(() => void reconnect.again?.(this.conn).catch(count));
  }

  message(bytes: Uint8Array, isBinary: boolean, receivedAtNs: number, notBeforeNs: number): void {
    const { parse = 'json' } = this.options;
    const data = isBinary || parse === 'bytes' ? Uint8Array.from(bytes) : messageText(bytes);
    const read = parse === 'json' ? asJson : typeof parse === 'function' ? parse : asItIs;
    const message = new InboxMessage(data, receivedAtNs / nsPerMs, notBeforeNs / nsPerMs, read);
    this.means.worker.user.entered(() => this.inbox.put(message));
  }

  closed(cause: string, _wasOpen: boolean, code: number, reason: string): void {
    this.#isOpen = false;
    const left = new Left(cause, `the socket ended: ${cause}`);
    this.means.worker.user.resumed();
    this.#inbox?.failAsks(left);
    if (this.#opening === undefined && this.#comesBack()) return;
    this.inbox.end(left);
    this.stopSends();
    this.#opening?.fail(left);
    this.#opening = undefined;
    this.#over({ code, reason, cause });
  }

  #over(end: SocketEnd): void {
    this.#end ??= end;
    this.#tellEnd?.(this.#end);
    this.means.gone(this.conn);
  }

  /** Begins the wait before the next attempt. Returns false if there is none. */
  #comesBack(): boolean {
    const { reconnect = 'never' } = this.options;
    if (reconnect === 'never' || this.#isEnding) return false;
    const { waits, jitter = 'none', most = Number.POSITIVE_INFINITY } = reconnect;
    if (this.#attempts >= most || waits.length === 0) return false;
    const waitMs = msOf(waits[Math.min(this.#attempts, waits.length - 1)] ?? 0, 'reconnect.waits');
    this.#attempts++;
    this.#retry = setTimeout(
      () => this.#attempt(),
      jitter === 'full' ? waitMs * this.means.draws.next('reconnect') : waitMs,
    );
    return true;
  }

  endBy(act: (socket: FlowSocket) => void): void {
    const wasEnding = this.#isEnding;
    this.#isEnding = true;
    clearTimeout(this.#retry);
    this.stopSends();
    if (this.#socket !== undefined && !wasEnding) act(this.#socket);
    if (!this.#isOpen && this.#attempts > 0) this.#over({ code: 1006, reason: '', cause: 'ours' });
  }

  stopSends(): void {
    for (const each of this.#schedules ?? []) each.stop();
  }
}

function asItIs(data: string | Uint8Array): unknown {
  return data;
}
