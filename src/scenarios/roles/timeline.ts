const bucketNs = 1e9;

/** Events counted per second since a start, so that those of several workers and shards add up second by second. */
export class Timeline {
  readonly #buckets = new Map<string, number[]>();

  constructor(private readonly startNs: number) {}

  count(name: string, nowNs: number, events = 1): void {
    const second = Math.max(0, Math.floor((nowNs - this.startNs) / bucketNs));
    const buckets = this.#buckets.get(name) ?? [];
    this.#buckets.set(name, buckets);
    while (buckets.length <= second) buckets.push(0);
    buckets[second] = (buckets[second] as number) + events;
  }

  report(): Record<string, number[]> {
    return Object.fromEntries(this.#buckets);
  }
}
