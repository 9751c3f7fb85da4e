/** The free ids of an engine. Those never used come first, then those that have rested longest. */
export class FreeIds {
  #unused = 0;
  /** A ring of the ids at rest. */
  readonly #resting: Int32Array;
  #first = 0;
  #count = 0;
  readonly #untilNs: Float64Array;

  /** `isFree` returns false for an id that reports still name. */
  constructor(
    private readonly capacity: number,
    private readonly isFree: (id: number) => boolean,
  ) {
    this.#resting = new Int32Array(capacity);
    this.#untilNs = new Float64Array(capacity);
  }

  /** Returns true if `next` is an id that may be taken. Ids that reports still name go to the end. */
  hasFree(nowNs: number): boolean {
    if (this.#unused < this.capacity) return true;
    for (let tried = this.#count; tried > 0 && this.#untilNs[this.next]! <= nowNs; tried--) {
      if (this.isFree(this.next)) return true;
      const id = this.next;
      this.take();
      this.rest(id, nowNs);
    }
    return false;
  }

  get next(): number {
    return this.#unused < this.capacity ? this.#unused : this.#resting[this.#first]!;
  }

  take(): void {
    if (this.#unused < this.capacity) {
      this.#unused++;
      return;
    }
    this.#first = (this.#first + 1) % this.capacity;
    this.#count--;
  }

  rest(id: number, untilNs: number): void {
    this.#resting[(this.#first + this.#count) % this.capacity] = id;
    this.#count++;
    this.#untilNs[id] = untilNs;
  }
}
