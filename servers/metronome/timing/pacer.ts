import type { Freeze } from '../../../src/targets/metronome/orders.js';
import { Alarm } from './alarm.js';
import { type Due, DueQueue } from './due-queue.js';
import { Freezes } from './freezes.js';
import { type Loop, loop as ownLoop } from './loop.js';
import { Reads } from './reads.js';

/** Something that is done at its time. Whatever was due before `thawedNs` had to wait until then. */
export interface Ringing extends Due {
  ring(thawedNs: number): void;
}

/** After so long a time of writing, sockets are read before it goes on: a publish that came meanwhile is stamped no later than that. */
const sliceNs = 200_000;

/** Does everything at its time, and nothing while the target is frozen. Times in nanoseconds of `nowNs()`. */
export class Pacer {
  readonly reads: Reads;
  readonly #loop: Loop;
  readonly #queue = new DueQueue<Ringing>();
  readonly #freezes: Freezes;
  readonly #alarm: Alarm;
  /** What was to be done at once and fell into a freeze. */
  #held: (() => void)[] = [];

  constructor(freeze: Freeze | undefined, loop: Loop = ownLoop) {
    this.#loop = loop;
    this.reads = new Reads(loop);
    this.#freezes = new Freezes(freeze);
    this.#alarm = new Alarm(() => this.#ring(), loop);
  }

  nowNs(): number {
    return this.#loop.nowNs();
  }

  /** Tells that a stream had its first broadcast: its freeze is counted from there. */
  begin(firstNs: number): void {
    this.#freezes.begin(firstNs);
  }

  /** Acts at once, or when the freeze that holds now ends; in the order of the calls. */
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

  /** Rings the item at its time, in a later turn of the loop. */
  at(item: Ringing): void {
    this.#queue.push(item);
    this.#alarm.aim(item.dueNs);
  }

  /** Rings the item at its time; now, where that has come. To be called from within `pass`. */
  soon(item: Ringing): void {
    const nowNs = this.nowNs();
    // A stream's first broadcast can begin its freeze.
    const isFrozen = this.#freezes.untilNs(nowNs) > nowNs;
    if (item.dueNs <= nowNs && !isFrozen) item.ring(this.#freezes.thawedNs(nowNs));
    else this.at(item);
  }

  #ring(): number {
    this.reads.markTurn();
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
