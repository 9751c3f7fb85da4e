/** How many times a round is cut: few clients tick together. */
const slots = 100;

/** Ticks each client once in `everyMs`, spread over that time, so that a crowd does not speak at once. */
export class Ticks {
  readonly #timer: NodeJS.Timeout;
  #slot = 0;

  constructor(everyMs: number, capacity: number, tick: (client: number) => void) {
    this.#timer = setInterval(() => {
      for (let client = this.#slot; client < capacity; client += slots) tick(client);
      this.#slot = (this.#slot + 1) % slots;
    }, everyMs / slots);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
