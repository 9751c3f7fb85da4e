import type { DeclaredSends } from '../../scenarios/books/mark-book.js';
import type { SendTimes } from '../../scenarios/books/times.js';
import { type SendBatch, type SendMessage, sendFate } from '../../wire/wire.js';
import type { Owed, Schedule } from '../api.js';
import type { FlowSocket } from '../sockets/sockets.js';
import { SendSlots, slotNs } from './send-slots.js';

/** Time before the due instant at which an engine gets a send that it can hold. */
const aheadNs = 100e6;
const leastWaitMs = 1;

/** What the ledger keeps of declared sends. */
export interface SendBook {
  declare(sends: { name: string; owed?: Owed | undefined; isAnswered: boolean }): DeclaredSends;
  begin(client: number, declared: DeclaredSends): number | undefined;
  sent(number: number, times: SendTimes): void;
  unsent(number: number, why: 'gone' | 'unread' | 'stopped'): void;
}

/** Declared sends of one socket. */
export interface SendPlan {
  client: number;
  name: string;
  owed?: Owed | undefined;
  isAnswered: boolean;
  /** Set if each leaves at its own instant in place of slots. */
  isExact: boolean;
  /** Returns when send `n` is due, in nanoseconds. Undefined after the last one. */
  dueNs(n: number): number | undefined;
  /** Returns message `n` with the mark of that number. */
  message(n: number, number: number): SendMessage;
  /** Returns the socket while it is open. */
  socket(): FlowSocket | undefined;
}

/** One plan under way. */
export class PlannedSends implements Schedule {
  readonly done: Promise<void>;
  sent = 0;
  /** Sends that an engine has and has not reported. */
  underWay = 0;
  /** The next instant; infinite after the last one. */
  dueNs = Number.POSITIVE_INFINITY;
  /** Number of the next send, if an engine could not take it ahead. */
  held: number | undefined;
  /** The plan behind this one in its slot. */
  behind: PlannedSends | undefined;
  #isStopped = false;
  #next = 0;
  #resolve: () => void = () => undefined;

  constructor(
    readonly plan: SendPlan,
    readonly declared: DeclaredSends,
  ) {
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#look();
  }

  get isOver(): boolean {
    return this.#isStopped || this.dueNs === Number.POSITIVE_INFINITY;
  }

  get next(): number {
    return this.#next;
  }

  advance(): void {
    this.held = undefined;
    this.#next++;
    this.#look();
  }

  #look(): void {
    const { plan } = this;
    const dueNs = plan.dueNs(this.#next) ?? Number.POSITIVE_INFINITY;
    this.dueNs = plan.isExact ? dueNs : Math.ceil(dueNs / slotNs) * slotNs;
    this.settle();
  }

  stop(): void {
    this.#isStopped = true;
    this.settle();
  }

  /** Ends the schedule once the outcome of every send is known. */
  settle(): void {
    if (this.isOver && this.underWay === 0) this.#resolve();
  }
}

/** A send that an engine has. Its place among all is its token; free ones are used again. */
interface Handed {
  token: number;
  sends: PlannedSends;
  number: number;
  intendedAtNs: number;
}

/** Makes the declared sends of one worker leave at their instants, whatever the user's code does. */
export class SendClock {
  readonly #slots = new SendSlots<PlannedSends>();
  readonly #handed: Handed[] = [];
  readonly #free: Handed[] = [];
  /** The stamps of the send at hand, so that none needs an object of its own. */
  readonly #times: SendTimes = { intendedAtNs: 0, sentAtNs: 0, writtenAtNs: 0 };
  #timer: NodeJS.Timeout | undefined;
  #wakesAtNs = Number.POSITIVE_INFINITY;
  #nowNs = 0;

  /** `left` receives the stamps of each send that left. Neither it nor the book may keep the object. */
  constructor(
    private readonly nowNs: () => number,
    private readonly book: SendBook,
    private readonly left: (times: SendTimes) => void,
  ) {}

  start(plan: SendPlan): PlannedSends {
    const sends = new PlannedSends(plan, this.book.declare(plan));
    if (sends.isOver) return sends;
    this.#slots.add(sends);
    const atNs = sends.dueNs - (this.#aheadOf(sends) ? aheadNs / 2 : 0);
    if (atNs < this.#wakesAtNs) this.#wakeAt(atNs);
    return sends;
  }

  #wakeAt(atNs: number): void {
    clearTimeout(this.#timer);
    this.#wakesAtNs = atNs;
    if (atNs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(this.#walk, Math.max(leastWaitMs, Math.ceil((atNs - this.nowNs()) / 1e6)));
  }

  /** Returns the socket, if its engine can hold the next send. */
  #aheadOf({ plan, held }: PlannedSends): FlowSocket | undefined {
    const socket = held === undefined ? plan.socket() : undefined;
    return socket?.sendsAhead ? socket : undefined;
  }

  readonly #walk = (): void => {
    this.#nowNs = this.nowNs();
    this.#wakeAt(this.#slots.walk(this.#nowNs, aheadNs, this.#handDue));
  };

  /** Hands over all of a plan that is due, or that its engine takes now. */
  readonly #handDue = (sends: PlannedSends): void => {
    const nowNs = this.#nowNs;
    while (!sends.isOver) {
      const ahead = this.#aheadOf(sends);
      if (sends.dueNs > nowNs + (ahead ? aheadNs : 0)) break;
      this.#hand(sends, sends.dueNs <= nowNs ? undefined : ahead);
    }
    if (!sends.isOver) this.#slots.add(sends);
  };

  /**
   * Hands the next send to an engine ahead, or sends it now. A send that an engine can't take waits until it is due.
   */
  #hand(sends: PlannedSends, ahead: FlowSocket | undefined): void {
    const { plan } = sends;
    const number = sends.held ?? this.book.begin(plan.client, sends.declared);
    if (number === undefined) {
      sends.stop();
      return;
    }
    const message = plan.message(sends.next, number);
    if (ahead === undefined) this.#now(sends, message, number);
    else if (!this.#ahead(ahead, sends, message, number)) {
      sends.held = number;
      return;
    }
    sends.advance();
  }

  #ahead(socket: FlowSocket, sends: PlannedSends, message: SendMessage, number: number): boolean {
    const handed = this.#free.pop() ?? { token: this.#handed.length, sends, number, intendedAtNs: 0 };
    if (!socket.sendAt(message, sends.dueNs, handed.token)) {
      if (handed.token < this.#handed.length) this.#free.push(handed);
      return false;
    }
    handed.sends = sends;
    handed.number = number;
    handed.intendedAtNs = sends.dueNs;
    this.#handed[handed.token] = handed;
    sends.underWay++;
    return true;
  }

  #now(sends: PlannedSends, message: SendMessage, number: number): void {
    const socket = sends.plan.socket();
    const whole = message instanceof Uint8Array ? message : String(message);
    const sentAtNs = this.nowNs();
    if (!socket?.send(whole)) {
      this.book.unsent(number, socket ? 'unread' : 'gone');
      return;
    }
    const writtenAtNs = socket.buffered === 0 ? this.nowNs() : 0;
    this.#sent(sends, number, sends.dueNs, sentAtNs, writtenAtNs);
  }

  #sent(sends: PlannedSends, number: number, intendedAtNs: number, sentAtNs: number, writtenAtNs: number): void {
    const times = this.#times;
    times.intendedAtNs = intendedAtNs;
    times.sentAtNs = sentAtNs;
    times.writtenAtNs = writtenAtNs;
    sends.sent++;
    this.book.sent(number, times);
    this.left(times);
  }

  /** Takes the engine's reports of sends that it got ahead. */
  take({ count, token, sentAtNs, writtenAtNs, fate }: SendBatch): void {
    for (let i = 0; i < count; i++) {
      const handed = this.#handed[token[i] as number] as Handed;
      const { sends, number, intendedAtNs } = handed;
      this.#free.push(handed);
      sends.underWay--;
      if (fate[i] === sendFate.sent)
        this.#sent(sends, number, intendedAtNs, sentAtNs[i] as number, writtenAtNs[i] as number);
      else this.book.unsent(number, fate[i] === sendFate.gone ? 'gone' : 'unread');
      sends.settle();
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
