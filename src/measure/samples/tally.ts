const pageBits = 10;
const pageLength = 2 ** pageBits;
const inPage = pageLength - 1;
/** Pages of 8 kB: 268 MB, for samples that touch 33 s in all. */
export const pagesAtMost = 32_768;

/**
 * Counts the occurrences of each microsecond among samples. It is exact. Its size depends on their spread, not on their
 * number.
 */
export class Tally {
  readonly #pages = new Map<number, Float64Array>();
  #count = 0;
  /** The pages in order, and the number of samples up to the end of each. Undefined after a change. */
  #order: { numbers: number[]; upTo: number[] } | undefined;

  get count(): number {
    return this.#count;
  }

  /** The number of pages of 1024 microseconds in use. */
  get pages(): number {
    return this.#pages.size;
  }

  /** Returns the number of pages with these sorted samples. Samples that lie far apart take many. */
  pagesWith(sorted: Uint32Array): number {
    let pages = this.#pages.size;
    let last = -1;
    for (let at = 0; at < sorted.length; at++) {
      const number = (sorted[at] as number) >>> pageBits;
      if (number === last) continue;
      last = number;
      if (!this.#pages.has(number)) pages++;
    }
    return pages;
  }

  /** Returns the number of pages together with another tally. */
  pagesWithAll(other: Tally): number {
    let pages = this.#pages.size;
    for (const number of other.#pages.keys()) if (!this.#pages.has(number)) pages++;
    return pages;
  }

  /** Adds sorted samples. Allocates nothing per sample. */
  add(sorted: Uint32Array): void {
    let last = -1;
    let page: Float64Array = none;
    for (let at = 0; at < sorted.length; at++) {
      const value = sorted[at] as number;
      if (value >>> pageBits !== last) {
        last = value >>> pageBits;
        page = this.#page(last);
      }
      page[value & inPage] = (page[value & inPage] as number) + 1;
    }
    this.#changed(sorted.length);
  }

  addAll(other: Tally): void {
    for (const [number, more] of other.#pages) {
      const page = this.#page(number);
      for (let at = 0; at < pageLength; at++) page[at] = (page[at] as number) + (more[at] as number);
    }
    this.#changed(other.#count);
  }

  put(value: number, times: number): void {
    const page = this.#page(value >>> pageBits);
    page[value & inPage] = (page[value & inPage] as number) + times;
    this.#changed(times);
  }

  #page(number: number): Float64Array {
    const known = this.#pages.get(number);
    if (known) return known;
    const page = new Float64Array(pageLength);
    this.#pages.set(number, page);
    return page;
  }

  #changed(more: number): void {
    this.#count += more;
    this.#order = undefined;
  }

  /** Visits each value that occurs, in order, with its number of occurrences. */
  each(visit: (value: number, times: number) => void): void {
    for (const number of this.#ordered().numbers) {
      const page = this.#pages.get(number) as Float64Array;
      for (let at = 0; at < pageLength; at++) {
        const times = page[at] as number;
        if (times > 0) visit(number * pageLength + at, times);
      }
    }
  }

  /** Returns the value of that rank, from 1. */
  valueAt(rank: number): number {
    const { numbers, upTo } = this.#ordered();
    let [low, high] = [0, numbers.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] as number) >= rank) high = middle;
      else low = middle + 1;
    }
    const number = numbers[low] as number;
    const page = this.#pages.get(number) as Float64Array;
    let seen = low === 0 ? 0 : (upTo[low - 1] as number);
    for (let at = 0; ; at++) {
      seen += page[at] as number;
      if (seen >= rank) return number * pageLength + at;
    }
  }

  #ordered(): { numbers: number[]; upTo: number[] } {
    if (this.#order) return this.#order;
    const numbers = [...this.#pages.keys()].sort((a, b) => a - b);
    let sum = 0;
    const upTo = numbers.map((number) => {
      sum += (this.#pages.get(number) as Float64Array).reduce((all, times) => all + times, 0);
      return sum;
    });
    this.#order = { numbers, upTo };
    return this.#order;
  }
}

const none = new Float64Array(0);
