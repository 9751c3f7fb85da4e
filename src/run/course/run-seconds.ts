import { binsPerBlock, putBins } from '../../measure/samples/blocks.js';
import { figuresOf } from '../../measure/samples/distribution.js';
import type { GaugeValues, LivePercentiles, RunSecond } from '../../results/progress.js';
import { type Acked, gaugesOf, join, start, type TimelinePoint, type TimelineSecond } from './shard-course.js';

/** Holds the seconds that a shard sent since the last reading. `isAwaited` is set if the other shards wait for it. */
export interface Teller {
  told: readonly TimelineSecond[];
  isAwaited: boolean;
}

type Ended = Pick<RunSecond, 'atMs' | 'shards' | 'percentiles' | 'bins'>;

/**
 * Merges the seconds of the shards, counted from the start of the jobs. A second ends when the last live shard has sent
 * it. Late data counts to the next second.
 */
export class RunSeconds {
  readonly #shards = new Map<number, ShardSeconds>();
  readonly #counts = new Uint32Array(binsPerBlock);
  #independent = 0;
  #ended = 0;

  /** Returns the percentiles of all seconds that ended. */
  get soFar(): LivePercentiles {
    return figuresOf(this.#counts, (count) => Math.min(count, this.#independent));
  }

  look(tellers: readonly Teller[], ackedAt: Acked): Ended[] {
    const shards = tellers.map(({ told, isAwaited }, index) => ({ seconds: this.#of(index, told), isAwaited }));
    const awaited = shards.filter(({ isAwaited }) => isAwaited).map(({ seconds }) => seconds);
    // What is left when all shards have ended is a second of its own, however short.
    const hasRest = awaited.length === 0 && shards.some(({ seconds }) => seconds.first <= this.#ended);
    const until =
      awaited.length > 0
        ? Math.min(...awaited.map(({ last }) => last))
        : Math.max(this.#lastOf(shards.map((one) => one.seconds)), this.#ended + Number(hasRest));
    const ended: Ended[] = [];
    for (let second = this.#ended + 1; second <= until; second++) {
      // If a shard skipped a second, that second counts to the next one for all shards.
      const isTold = ({ first }: ShardSeconds): boolean => first <= second;
      if (awaited.length > 0 ? !awaited.every(isTold) : !shards.some(({ seconds }) => isTold(seconds))) continue;
      const counts = new Uint32Array(binsPerBlock);
      const upTo = awaited.length === 0 && second === until ? Number.POSITIVE_INFINITY : second;
      const ends = shards.map(({ seconds }) => seconds.end(upTo, ackedAt, counts));
      // Each publish counts once. If a scenario reports no publishes, every sample is an event of its own.
      const isPublished = ends.some((end) => end?.published !== undefined);
      const independentOf = (count: number): number => (isPublished ? Math.min(count, publishedIn(ends)) : count);
      counts.forEach((count, bin) => {
        this.#counts[bin] = (this.#counts[bin] as number) + count;
      });
      this.#independent += independentOf(counts.reduce((sum, count) => sum + count, 0));
      ended.push({
        atMs: Math.max(...ends.map((end) => end?.atMs ?? 0)),
        shards: ends.map((end) => end?.gauges ?? null),
        percentiles: figuresOf(counts, independentOf),
        bins: ends.map((end) => end?.bins ?? []),
      });
      this.#ended = second;
    }
    return ended;
  }

  /** Returns the last second of finished shards. A remainder that few count belongs to the one before. */
  #lastOf(shards: readonly ShardSeconds[]): number {
    const last = Math.max(0, ...shards.map((shard) => shard.last));
    const isOfBefore = last - 1 > this.#ended && shards.some((shard) => shard.last === last - 1);
    return isOfBefore ? last - 1 : last;
  }

  #of(index: number, told: readonly TimelineSecond[]): ShardSeconds {
    const shard = this.#shards.get(index) ?? new ShardSeconds();
    this.#shards.set(index, shard);
    shard.take(told);
    return shard;
  }
}

/** Holds the values of one shard for one second. `published` is set if the shard publishes or sends. */
interface End {
  atMs: number;
  gauges: GaugeValues;
  published: number | undefined;
  /** Samples of that second, as a flat list of bin and count. */
  bins: readonly number[];
}

function publishedIn(ends: readonly (End | null)[]): number {
  return ends.reduce((sum, end) => sum + (end?.published ?? 0), 0);
}

/** Holds the data of a shard that belongs to no ended second yet. */
class ShardSeconds {
  #from: TimelinePoint = start;
  #waiting: TimelineSecond[] = [];
  #bins = new Uint32Array(binsPerBlock);
  #last = 0;

  take(told: readonly TimelineSecond[]): void {
    this.#waiting.push(...told);
    this.#last = Math.max(this.#last, ...told.map(secondOf));
  }

  /** Number of the last second that the shard sent. */
  get last(): number {
    return this.#last;
  }

  get first(): number {
    const [first] = this.#waiting;
    return first ? secondOf(first) : Number.POSITIVE_INFINITY;
  }

  /** Returns the gauges since the last ended second, or null. Adds the samples of that time to `counts`. */
  end(second: number, ackedAt: Acked, counts: Uint32Array): End | null {
    const told = this.#waiting.filter((each) => secondOf(each) <= second);
    this.#waiting = this.#waiting.slice(told.length);
    const [first, ...rest] = told.map(({ entry }) => entry);
    if (!first) return null;
    const entry = rest.reduce(join, first);
    const gauges = gaugesOf(this.#from, entry, ackedAt);
    const published = entry.published === undefined ? undefined : entry.published - (this.#from.published ?? 0);
    this.#from = entry;
    const bins = this.#grow(told.findLast(({ bins }) => bins !== undefined)?.bins ?? [], counts);
    return { atMs: entry.atMs, gauges, published, bins };
  }

  #grow(pairs: readonly number[], counts: Uint32Array): number[] {
    const bins = this.#bins.slice();
    putBins(pairs, bins);
    const grown: number[] = [];
    bins.forEach((count, bin) => {
      const more = count - (this.#bins[bin] as number);
      counts[bin] = (counts[bin] as number) + more;
      if (more > 0) grown.push(bin, more);
    });
    this.#bins = bins;
    return grown;
  }
}

/** Returns the second in which a shard sent the entry. Less than half a second counts to the one before. */
function secondOf({ entry }: TimelineSecond): number {
  return Math.round(entry.atMs / 1000);
}
