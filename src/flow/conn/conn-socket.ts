import { type Any, Left, type Match, type MessageTemplate, type OpenOptions, type Schedule } from '../api.js';
import type { ClientDraws } from '../client/draws.js';
import { msOf } from '../client/time.js';
import type { FlowFigures } from '../figures.js';
import { failureAt } from '../module/line.js';
import type { SendClock } from '../sends/send-clock.js';
import type { FlowSocket, SocketEvents, SocketRequest } from '../sockets/sockets.js';
import type { MessageMaker } from '../trace.js';
import type { UserTime } from '../user-time.js';
import { asJson, fits, Inbox, InboxMessage, messageText } from './inbox.js';

/** What the sockets of one client need. */
export interface ConnMeans {
  /** Number of the client within its worker. */
  client: number;
  nowNs(): number;
  user: UserTime;
  clock: SendClock;
  figures: FlowFigures;
  draws: ClientDraws;
  open(request: Omit<SocketRequest, 'client'>): FlowSocket;
  /** Compiles a message. The function it returns takes the number of the send, and that of its mark. */
  template(message: MessageTemplate): MessageMaker;
  /** Returns the line of the user's code that calls, such as `chat.ts:14`. */
  line(): string;
}

export interface SocketEnd {
  code: number;
  reason: string;
  cause: string;
}

/** A message that awaits its answer. */
export interface PendingAsk {
  /** Left out if the id pairs it. */
  match: Match | undefined;
  settle(answer: InboxMessage | Left): void;
}

const usualInbox = 1000;
const nsPerMs = 1e6;

/** The socket behind a `Conn`: connects, comes back if asked to, and gives each message to who awaits it. */
export class ConnSocket {
  readonly ended: Promise<SocketEnd>;
  /** Messages so far. */
  place = 0;
  #inbox: Inbox | undefined;
  #asks: Map<unknown, PendingAsk> | undefined;
  #schedules: Set<Schedule> | undefined;
  #socket: FlowSocket | undefined;
  #isOpen = false;
  /** Set once the flow ends the socket, so that no attempt follows. */
  #isEnding = false;
  #attempts = 0;
  #retry: NodeJS.Timeout | undefined;
  #opening: { resolve(): void; reject(error: Error): void } | undefined;
  #end: (end: SocketEnd) => void = () => undefined;
  readonly #read: (data: string | Uint8Array) => unknown;

  /** `cameBack` runs after each reconnect. */
  constructor(
    readonly means: ConnMeans,
    private readonly upgrade: Omit<SocketRequest, 'client' | 'events'>,
    private readonly options: OpenOptions,
    private readonly cameBack: () => void,
  ) {
    const { parse = 'json' } = options;
    this.#read = parse === 'json' ? asJson : typeof parse === 'function' ? parse : (data) => data;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  // Made when first used, as most of many idle clients use none of them.
  get inbox(): Inbox {
    this.#inbox ??= new Inbox(this.options.inbox ?? usualInbox, {
      overflowed: () => this.means.figures.count('overflowed'),
      guarded: (work) => this.means.user.entered(work),
      reached: (message, by) => this.#reached(message, by),
    });
    return this.#inbox;
  }

  get asks(): Map<unknown, PendingAsk> {
    this.#asks ??= new Map();
    return this.#asks;
  }

  get schedules(): Set<Schedule> {
    this.#schedules ??= new Set();
    return this.#schedules;
  }

  /** The socket while it is open. */
  get open(): FlowSocket | undefined {
    return this.#isOpen ? this.#socket : undefined;
  }

  /** Resolves when the socket is open. Rejects with `Left` if it does not open. */
  connect(): Promise<void> {
    const site = new Left('gone');
    const opened = new Promise<void>((resolve, reject) => {
      this.#opening = { resolve, reject: (error) => reject(failureAt(site, error)) };
    });
    this.#socket = this.means.open({ ...this.upgrade, events: this.#events });
    return opened;
  }

  readonly #events: SocketEvents = {
    opened: () => {
      this.#isOpen = true;
      this.means.user.resumed();
      this.#opening?.resolve();
      this.#opening = undefined;
      if (this.#attempts > 0) this.cameBack();
      this.#attempts = 0;
    },
    message: (bytes, isBinary, receivedAtNs, notBeforeNs) => {
      const data = isBinary || this.options.parse === 'bytes' ? Uint8Array.from(bytes) : messageText(bytes);
      const message = new InboxMessage(data, receivedAtNs / nsPerMs, notBeforeNs / nsPerMs, this.#read, ++this.place);
      this.means.user.entered(() => {
        const asked = this.asks.size === 0 ? undefined : this.means.user.entered(() => this.#askedWith(message));
        if (asked === undefined) {
          this.inbox.put(message);
          return;
        }
        this.#reached(message, 'promise');
        asked.settle(message);
      });
    },
    closed: (cause, _wasOpen, code, reason) => this.#closed({ code, reason, cause }),
  };

  /** Notes how long a message takes from the engine's stamp to the code that awaits it. */
  #reached({ at }: InboxMessage, by: 'call' | 'promise'): void {
    const { figures, nowNs } = this.means;
    const note = (): void => figures.time('reaction', (nowNs() - at * nsPerMs) / 1000);
    // Code behind a promise goes on after that of all messages before.
    if (by === 'promise') queueMicrotask(note);
    else note();
  }

  #askedWith(message: InboxMessage): PendingAsk | undefined {
    const { idOf = (json: Any) => json?.id } = this.options;
    const asked = this.asks.get(idOf(message.json));
    if (asked !== undefined) return asked;
    for (const each of this.asks.values()) if (each.match !== undefined && fits(each.match, message)) return each;
    return undefined;
  }

  #closed(end: SocketEnd): void {
    this.#isOpen = false;
    const left = new Left(end.cause, `the socket ended: ${end.cause}`);
    this.means.user.resumed();
    for (const asked of [...this.asks.values()]) asked.settle(left);
    const isFirst = this.#opening !== undefined && this.#attempts === 0;
    if (!isFirst && this.#comesBack()) return;
    this.inbox.end(left);
    this.stopSends();
    this.#opening?.reject(left);
    this.#opening = undefined;
    this.#end(end);
  }

  /** Begins the wait before the next attempt. Returns false if there is none. */
  #comesBack(): boolean {
    const { reconnect = 'never' } = this.options;
    if (reconnect === 'never' || this.#isEnding) return false;
    const { waits, jitter = 'none', most = Number.POSITIVE_INFINITY } = reconnect;
    if (this.#attempts >= most || waits.length === 0) return false;
    const waitMs = msOf(waits[Math.min(this.#attempts, waits.length - 1)] ?? 0, 'reconnect.waits');
    this.#attempts++;
    const again = (): void => void this.connect().catch(() => undefined);
    this.#retry = setTimeout(again, jitter === 'full' ? waitMs * this.means.draws.next('reconnect') : waitMs);
    return true;
  }

  /** Ends the socket, and every wait for it with that error if given. */
  endBy(act: (socket: FlowSocket) => void, error?: Left): void {
    const wasEnding = this.#isEnding;
    this.#isEnding = true;
    clearTimeout(this.#retry);
    this.stopSends();
    if (error !== undefined) this.fail(error);
    if (this.#socket !== undefined && !wasEnding) act(this.#socket);
    if (!this.#isOpen && this.#attempts > 0) this.#end({ code: 1006, reason: '', cause: 'ours' });
  }

  stopSends(): void {
    for (const each of this.schedules) each.stop();
  }

  /** Ends every wait for a message. */
  fail(error: Left): void {
    for (const asked of [...this.asks.values()]) asked.settle(error);
    this.inbox.fail(error);
  }
}
