import TinyQueue from 'tinyqueue';
import type { Freeze } from '../../src/targets/metronome/orders.js';
import { eventLoop, type LoopSource } from '../../src/wire/turns.js';

/** Describes the event loop on which a metronome keeps time. Tests inject their own. */
export interface Loop extends Pick<LoopSource, 'nowNs' | 'afterPoll'> {
  /** Runs `callback` after at least about `ms`. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

const ownLoop: Loop = {
  ...eventLoop,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** An item with a due time, in nanoseconds of `nowNs()`. The time must not change while the item is queued. */
interface Due {
  readonly dueNs: number;
}

/** A queue with the soonest item first. Of equal times, the first queued comes first. */
export class DueQueue<T extends Due> {
  readonly #items = new TinyQueue<{ item: T; rank: number }>(
    [],
    (one, other) => one.item.dueNs - other.item.dueNs || one.rank - other.rank,
  );
  #queued = 0;

  get nextDueNs(): number {
    return this.#items.peek()?.item.dueNs ?? Number.POSITIVE_INFINITY;
  }

  push(item: T): void {
    this.#items.push({ item, rank: this.#queued++ });
  }

  takeDue(nowNs: number): T | undefined {
    return this.nextDueNs <= nowNs ? this.#items.pop()?.item : undefined;
  }
}

/** Describes an item with work at its time. Work due before `thawedNs` had to wait until then. */
export interface Ringing extends Due {
  ring(thawedNs: number): void;
}

/** After writing for this long, sockets are read first. A publish that arrived meanwhile is then stamped in time. */
const sliceNs = 200_000;

/** Runs every item at its time, and none during a freeze. Times are in nanoseconds of `nowNs()`. */
export class Pacer {
  readonly #queue = new DueQueue<Ringing>();
  readonly #freezes: Freezes;
  readonly #alarm: Alarm;
  #held: (() => void)[] = [];

  constructor(
    freeze: Freeze | undefined,
    private readonly loop: Loop = ownLoop,
  ) {
    this.#freezes = new Freezes(freeze);
    this.#alarm = new Alarm(() => this.#ring(), loop);
  }

  nowNs(): number {
    return this.loop.nowNs();
  }

  begin(firstNs: number): void {
    this.#freezes.begin(firstNs);
  }

  pass(act: () => void): void {
    const nowNs = this.nowNs();
    const untilNs = this.#freezes.untilNs(nowNs);
    if (untilNs > nowNs) {
      this.#held.push(act);
      this.#alarm.aim(untilNs);
      return;
    }
    this.#release();
    act();
  }

  at(item: Ringing): void {
    this.#queue.push(item);
    this.#alarm.aim(item.dueNs);
  }

  /** Rings the item at its time, or now if it is due. Call it within `pass`. */
  soon(item: Ringing): void {
    const nowNs = this.nowNs();
    // The first broadcast of a stream can begin its freeze.
    const isFrozen = this.#freezes.untilNs(nowNs) > nowNs;
    if (item.dueNs <= nowNs && !isFrozen) item.ring(this.#freezes.thawedNs(nowNs));
    else this.at(item);
  }

  #ring(): number {
    let nowNs = this.nowNs();
    const untilNs = this.#freezes.untilNs(nowNs);
    if (untilNs > nowNs) return untilNs;
    this.#release();
    const stopNs = nowNs + sliceNs;
    const thawedNs = this.#freezes.thawedNs(nowNs);
    while (nowNs < stopNs) {
      const item = this.#queue.takeDue(nowNs);
      if (item === undefined) break;
      item.ring(thawedNs);
      nowNs = this.nowNs();
    }
    return this.#queue.nextDueNs;
  }

  #release(): void {
    if (this.#held.length === 0) return;
    const held = this.#held;
    this.#held = [];
    for (const act of held) act();
  }
}

/** Holds the freezes of the target, one per stream from its first broadcast. Times are in nanoseconds of `nowNs()`. */
export class Freezes {
  readonly #windows: { fromNs: number; untilNs: number }[] = [];

  constructor(private readonly order: Freeze | undefined) {}

  begin(firstNs: number): void {
    if (this.order === undefined) return;
    const fromNs = firstNs + this.order.atMs * 1e6;
    this.#windows.push({ fromNs, untilNs: fromNs + this.order.forMs * 1e6 });
  }

  untilNs(nowNs: number): number {
    let until = nowNs;
    for (const window of this.#windows) {
      if (window.fromNs <= nowNs && window.untilNs > until) until = window.untilNs;
    }
    return until;
  }

  /** Returns the end of the last freeze before `nowNs`, until which earlier writes had to wait, or -Infinity. */
  thawedNs(nowNs: number): number {
    let thawed = Number.NEGATIVE_INFINITY;
    for (const { untilNs } of this.#windows) if (untilNs <= nowNs && untilNs > thawed) thawed = untilNs;
    return thawed;
  }
}

/** A Node timer can run late by this much. */
const timerSlackMs = 1.5;
/** The shortest wait for a timer. A timer sleeps whole milliseconds. */
const shortestSleepMs = 1 + timerSlackMs;

/**
 * Calls `ring` at its time. On an idle loop it is a few microseconds late at most. It sleeps until shortly before, then
 * turns the loop so that sockets are read meanwhile.
 *
 * idle ──aim──> asleep ──1.5 ms before──> turning: ring in each turn ──> idle, asleep or turning
 */
export class Alarm {
  #dueNs = Number.POSITIVE_INFINITY;
  #isTurning = false;
  #callOff: (() => void) | undefined;

  /** `ring` runs in the check phase and does all due work. It returns its next time, or Infinity. */
  constructor(
    private readonly ring: () => number,
    private readonly loop: Loop = ownLoop,
  ) {}

  aim(dueNs: number): void {
    if (dueNs >= this.#dueNs) return;
    this.#dueNs = dueNs;
    if (!this.#isTurning) this.#wait();
  }

  #wait(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    if (this.#dueNs === Number.POSITIVE_INFINITY) return;
    const leftMs = (this.#dueNs - this.loop.nowNs()) / 1e6;
    if (leftMs >= shortestSleepMs) {
      this.#callOff = this.loop.after(Math.floor(leftMs - timerSlackMs), () => this.#wait());
      return;
    }
    this.#isTurning = true;
    this.loop.afterPoll(this.#turn);
  }

  readonly #turn = (): void => {
    // `ring` covers all aims that were set meanwhile.
    this.#dueNs = this.ring();
    this.#isTurning = false;
    this.#wait();
  };
}
