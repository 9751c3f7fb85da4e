const bucketNs = 1e9;

/** Events counted per second since a start, so that those of several workers and shards add up second by second. */
export class Timeline {
  readonly #buckets = new Map<string, number[]>();

  constructor(private readonly startNs: number) {}

  /** The second, from 0, that an instant lies in; what is earlier counts in the first. */
  secondOf(nowNs: number): number {
    return Math.max(0, Math.floor((nowNs - this.startNs) / bucketNs));
  }

  count(name: string, nowNs: number, events = 1): void {
    const second = this.secondOf(nowNs);
    const buckets = this.#buckets.get(name) ?? [];
    this.#buckets.set(name, buckets);
    while (buckets.length <= second) buckets.push(0);
    buckets[second] = (buckets[second] as number) + events;
  }

  report(): Record<string, number[]> {
    return Object.fromEntries(this.#buckets);
  }
}
