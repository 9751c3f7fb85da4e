/** Without any change of the figures for this long, the rig had no load. */
const pauseMs = 1000;
/** A reading this long after the one before was held up, so it shows no rest. */
const heldUpMs = 500;

/** Names the time since the last counted reading: a load, which counts; a rest, which does not; or still `open`. */
export type Stretch = 'load' | 'rest' | 'open';

export type WindowReadings = { readonly windowMs: number } & Readonly<Record<string, number>>;

/**
 * Sums the growth of readings during a load. Live figures, read several times a second, show the load:
 *
 *     figures   0 0 0 0 0 1 7 9 9 9 13 17 17 17 17 17 17 17 17 17
 *     counted           |_______________|        a pause of a second or more does not count
 */
export class LoadWindow<R extends WindowReadings> {
  #sums: WindowReadings;
  #last: R;
  #counted: R;
  #figures: string;

  constructor(first: R, figures: object) {
    this.#sums = grown(first, first);
    this.#last = first;
    this.#counted = first;
    this.#figures = JSON.stringify(figures);
  }

  /** Takes a reading. After a rest, a load counts from the reading before it. */
  look(now: R, figures: object): Stretch {
    const told = JSON.stringify(figures);
    const isHeldUp = now.windowMs - this.#last.windowMs >= heldUpMs;
    const isLoad = told !== this.#figures || isHeldUp;
    if (isLoad) {
      const since = grown(this.#isRest ? this.#last : this.#counted, now);
      this.#sums = byName(now, (name) => this.#sums[name]! + since[name]!);
      this.#counted = now;
    }
    this.#last = now;
    this.#figures = told;
    if (isLoad) return 'load';
    return this.#isRest ? 'rest' : 'open';
  }

  get #isRest(): boolean {
    return this.#last.windowMs - this.#counted.windowMs >= pauseMs;
  }

  resume(now: R, figures: object): void {
    this.#last = now;
    this.#counted = now;
    this.#figures = JSON.stringify(figures);
  }

  get sums(): R {
    return this.#sums as R;
  }
}

function grown(before: WindowReadings, after: WindowReadings): WindowReadings {
  return byName(after, (name) => after[name]! - before[name]!);
}

function byName(readings: WindowReadings, value: (name: string) => number): WindowReadings {
  return Object.fromEntries(Object.keys(readings).map((name) => [name, value(name)])) as WindowReadings;
}
