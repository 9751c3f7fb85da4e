/** With nothing moved for this long, nothing was asked of the rig: a gate was closed, or what is lost was waited for. */
const pauseMs = 1000;
/** A look that comes this long after the one before it was held up: what it looks at was stopped, and not at rest. */
const heldUpMs = 500;

/** What the time since the last that counts has turned out to be: a load, which counts from now on; a rest, which never will; or `open`, either of them. */
export type Stretch = 'load' | 'rest' | 'open';

/** Readings of what only grows, by name; `windowMs` is when they were taken. */
export type Readings = { readonly windowMs: number } & Readonly<Record<string, number>>;

/**
 * How much readings grew while a load was on. That is told by live figures, looked at several times in a second:
 *
 *     figures   0 0 0 0 0 1 7 9 9 9 13 17 17 17 17 17 17 17 17 17
 *     counted           |_______________|        a pause of a second or more is left out
 */
export class LoadWindow<R extends Readings> {
  #sums: Readings;
  /** At the last look, and at the last of those up to which all is counted. */
  #last: R;
  #counted: R;
  #figures: string;

  constructor(first: R, figures: object) {
    this.#sums = grown(first, first);
    this.#last = first;
    this.#counted = first;
    this.#figures = JSON.stringify(figures);
  }

  /** Of a load that follows a rest only what came since the look before is counted. */
  look(now: R, figures: object): Stretch {
    const told = JSON.stringify(figures);
    const isHeldUp = now.windowMs - this.#last.windowMs >= heldUpMs;
    const isLoad = told !== this.#figures || isHeldUp;
    if (isLoad) {
      const since = grown(this.#isRest ? this.#last : this.#counted, now);
      this.#sums = byName(now, (name) => (this.#sums[name] as number) + (since[name] as number));
      this.#counted = now;
    }
    this.#last = now;
    this.#figures = told;
    if (isLoad) return 'load';
    return this.#isRest ? 'rest' : 'open';
  }

  /** As of the last look. */
  get #isRest(): boolean {
    return this.#last.windowMs - this.#counted.windowMs >= pauseMs;
  }

  /** Goes on from here, whatever was between. */
  resume(now: R, figures: object): void {
    this.#last = now;
    this.#counted = now;
    this.#figures = JSON.stringify(figures);
  }

  get sums(): R {
    return this.#sums as R;
  }
}

function grown(before: Readings, after: Readings): Readings {
  return byName(after, (name) => (after[name] as number) - (before[name] as number));
}

function byName(readings: Readings, value: (name: string) => number): Readings {
  return Object.fromEntries(Object.keys(readings).map((name) => [name, value(name)])) as Readings;
}
