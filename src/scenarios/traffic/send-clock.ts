import type { SendTimes } from '../../measure/samples/recorder.js';
import { type SendBatch, sendFate } from '../../protocols/protocol.js';
import type { BegunSend, DeclaredSends } from '../books/marks/declarations.js';
import { SendSlots, slotEndNs, slotNs } from './send-schedule.js';

/** Time before the due instant at which an engine gets a send that it can hold. */
const aheadNs = 100e6;
const leastWaitMs = 1;

/** What the ledger keeps of declared sends. */
export interface SendBook {
  declare(sends: BegunSend): DeclaredSends;
  begin(client: number, sends: DeclaredSends): number | undefined;
  sent(number: number, times: SendTimes): void;
  unsent(number: number, why: 'gone' | 'unread' | 'stopped'): void;
}

/** Takes the declared sends of one client: a socket of a flow, or a client in the protocol of the target. */
export interface SendOutlet<M> {
  /** True if the engine sends at an instant by itself. */
  readonly sendsAhead: boolean;
  /** Returns false if it is not open, or too much waits. */
  send(message: M): boolean;
  /** Hands over a send that leaves at `dueNs`, or returns false. The engine reports it with `token`. */
  sendAt(message: M, dueNs: number, token: number): boolean;
  /** Is 0 if the kernel has all that was sent. */
  readonly buffered: number;
}

/** Declared sends of one client. `M`: what its outlet takes as a message. */
export interface SendPlan<M> extends BegunSend {
  client: number;
  /** Set if each leaves at its own instant in place of slots. */
  isExact: boolean;
  /** Returns when send `n` is due, in nanoseconds. Undefined after the last one. */
  dueNs(n: number): number | undefined;
  message(n: number, number: number): M;
  socket(): SendOutlet<M> | undefined;
}

/** One plan under way. */
export class PlannedSends<M> {
  readonly done: Promise<void>;
  sent = 0;
  /** Sends that an engine has and has not reported. */
  underWay = 0;
  /** The next instant; infinite after the last one. */
  dueNs = Number.POSITIVE_INFINITY;
  /** The next send, if an engine could not take it ahead. */
  held: { number: number; message: M } | undefined;
  behind: PlannedSends<M> | undefined;
  #isStopped = false;
  #next = 0;
  #resolve: () => void = () => undefined;

  constructor(
    readonly plan: SendPlan<M>,
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

  settle(): void {
    if (this.isOver && this.underWay === 0) this.#resolve();
  }
}

/** A send that an engine has. Its place among all is its token; free ones are used again. */
interface Handed<M> {
  token: number;
  sends: PlannedSends<M>;
  number: number;
  intendedAtNs: number;
}

/** Calls `then` after some milliseconds. Returns a function that prevents it. */
export type WakeAfter = (then: () => void, ms: number) => () => void;

const wakeByTimer: WakeAfter = (then, ms) => {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
};

/** Makes the declared sends of one worker leave at their instants, whatever other code does. */
export class SendClock<M> {
  readonly #slots = new SendSlots<PlannedSends<M>>();
  readonly #handed: Handed<M>[] = [];
  readonly #free: Handed<M>[] = [];
  /** The stamps of the send at hand, so that none needs an object of its own. */
  readonly #times: SendTimes = { intendedAtNs: 0, sentAtNs: 0, writtenAtNs: 0 };
  #stopWaiting: () => void = () => undefined;
  #wakesAtNs = Number.POSITIVE_INFINITY;
  #walkedNs = 0;

  /** `left` receives the stamps of each send that left. Neither it nor the book may keep the object. */
  constructor(
    private readonly nowNs: () => number,
    private readonly book: SendBook,
    private readonly left: (times: SendTimes, plan: SendPlan<M>) => void,
    private readonly wait: WakeAfter = wakeByTimer,
  ) {}

  start(plan: SendPlan<M>): PlannedSends<M> {
    const sends = new PlannedSends(plan, this.book.declare(plan));
    if (sends.isOver) return sends;
    this.#slots.add(sends);
    const atNs = sends.dueNs - (this.#aheadOf(sends) ? aheadNs / 2 : 0);
    if (atNs < this.#wakesAtNs) this.#wakeAt(atNs);
    return sends;
  }

  #wakeAt(atNs: number): void {
    this.#stopWaiting();
    this.#wakesAtNs = atNs;
    if (atNs === Number.POSITIVE_INFINITY) return;
    this.#stopWaiting = this.wait(this.#walk, Math.max(leastWaitMs, Math.ceil((atNs - this.nowNs()) / 1e6)));
  }

  #aheadOf({ plan, held }: PlannedSends<M>): SendOutlet<M> | undefined {
    const socket = held === undefined ? plan.socket() : undefined;
    return socket?.sendsAhead ? socket : undefined;
  }

  readonly #walk = (): void => {
    this.#walkedNs = this.nowNs();
    this.#wakeAt(this.#slots.walk(this.#walkedNs, aheadNs, this.#visit));
  };

  /** Sends what is due, and hands over the rest of a slot. The engine gets slot by slot, in the order of instants. */
  readonly #visit = (sends: PlannedSends<M>): void => {
    const nowNs = this.#walkedNs;
    while (!sends.isOver && sends.dueNs <= nowNs) this.#hand(sends, undefined);
    const untilNs = Math.min(nowNs + aheadNs, slotEndNs(sends.dueNs));
    while (!sends.isOver && sends.dueNs <= untilNs) {
      const ahead = this.#aheadOf(sends);
      if (ahead === undefined) break;
      this.#hand(sends, ahead);
    }
    if (!sends.isOver) this.#slots.add(sends);
    else if (sends.held !== undefined) this.book.unsent(sends.held.number, 'stopped');
  };

  /** Hands the next send to an engine ahead, or sends it now. One that an engine can't take waits until it is due. */
  #hand(sends: PlannedSends<M>, ahead: SendOutlet<M> | undefined): void {
    const { plan } = sends;
    const number = sends.held?.number ?? this.book.begin(plan.client, sends.declared);
    if (number === undefined) {
      sends.stop();
      return;
    }
    const message = sends.held?.message ?? plan.message(sends.next, number);
    if (ahead === undefined) this.#now(sends, message, number);
    else if (!this.#ahead(ahead, sends, message, number)) {
      sends.held = { number, message };
      return;
    }
    sends.advance();
  }

  #ahead(socket: SendOutlet<M>, sends: PlannedSends<M>, message: M, number: number): boolean {
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

  #now(sends: PlannedSends<M>, message: M, number: number): void {
    const socket = sends.plan.socket();
    const sentAtNs = this.nowNs();
    if (!socket?.send(message)) {
      this.book.unsent(number, socket ? 'unread' : 'gone');
      return;
    }
    const writtenAtNs = socket.buffered === 0 ? this.nowNs() : 0;
    this.#sent(sends, number, sends.dueNs, sentAtNs, writtenAtNs);
  }

  #sent(sends: PlannedSends<M>, number: number, intendedAtNs: number, sentAtNs: number, writtenAtNs: number): void {
    const times = this.#times;
    times.intendedAtNs = intendedAtNs;
    times.sentAtNs = sentAtNs;
    times.writtenAtNs = writtenAtNs;
    sends.sent++;
    this.book.sent(number, times);
    this.left(times, sends.plan);
  }

  take({ count, token, sentAtNs, writtenAtNs, fate }: SendBatch): void {
    for (let i = 0; i < count; i++) {
      const handed = this.#handed[token[i] as number] as Handed<M>;
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
    this.#stopWaiting();
  }
}
