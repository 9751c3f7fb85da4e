import { outsideText } from '../../units/text.js';
import type { Any, Me } from '../api.js';

/** Numbers whose first arrival a worker remembers, by stream. */
const remembered = 256;
/** NumberedStreams of a worker whose spread is timed. */
const mostTimed = 1000;
/** Missing numbers of a client that may still come. Further ones stay missing. */
const mostAwaited = 1024;

/** How a flow numbers the messages of a stream. */
export type StreamOptions = Parameters<Me['stream']>[1];

/** First arrivals of the last numbers of one stream in a worker, by their number modulo `remembered`. */
class FirstArrivals {
  readonly #numbers = new Float64Array(remembered).fill(Number.NEGATIVE_INFINITY);
  readonly #atNs = new Float64Array(remembered);

  /** Returns the time since the first arrival of a number. Undefined for the first, and for one too old. */
  sinceNs(number: number, nowNs: number): number | undefined {
    const at = ((number % remembered) + remembered) % remembered;
    if (this.#numbers[at] === number) return nowNs - this.#atNs[at]!;
    if (this.#numbers[at]! < number) {
      this.#numbers[at] = number;
      this.#atNs[at] = nowNs;
    }
    return undefined;
  }
}

/** The streams that a worker's clients receive, with numbers that the server makes. */
export class NumberedStreams {
  readonly #timed = new Map<string, FirstArrivals>();
  readonly #counts = { streamSeen: 0, streamMissing: 0, streamTwice: 0, streamOutOfOrder: 0, streamUntimed: 0 };

  /** `spread` gets the time from the first receiver of a number in this worker to each other one, in microseconds. */
  constructor(
    private readonly nowNs: () => number,
    private readonly spread: (us: number) => void,
  ) {}

  /** Returns counts that add up over workers and shards. Untimed are messages of streams beyond the first 1000. */
  counts(): Record<string, number> {
    const { streamSeen, streamMissing, streamTwice, streamOutOfOrder, streamUntimed } = this.#counts;
    const streamCame = streamSeen - streamTwice;
    const sum = { streamOwed: streamCame + streamMissing, streamCame, streamLost: streamMissing };
    return { ...sum, streamTwice, streamOutOfOrder, streamUntimed };
  }

  stream(name: string, { seq, from = 'first' }: StreamOptions): { saw(message: Any): void } {
    if (from !== 'first' && !Number.isSafeInteger(from)) throw wrongNumber(name, 'as from', from);
    const counts = this.#counts;
    const arrivals = this.#arrivalsOf(name);
    const awaited = new Set<number>();
    let [first, last] = from === 'first' ? [Number.NaN, Number.NaN] : [from, from - 1];
    const miss = (least: number, most: number): void => {
      counts.streamMissing += most - least + 1;
      for (let number = least; number <= most && awaited.size < mostAwaited; number++) awaited.add(number);
    };
    /** Counts a number, and returns true if this client had it before. */
    const isTwice = (number: number): boolean => {
      if (Number.isNaN(last)) [first, last] = [number, number];
      else if (number > last) {
        if (number > last + 1) miss(last + 1, number - 1);
        last = number;
      } else if (awaited.delete(number)) {
        counts.streamMissing--;
        counts.streamOutOfOrder++;
      } else if (number < first) {
        counts.streamOutOfOrder++;
        if (number < first - 1) miss(number + 1, first - 1);
        first = number;
      } else return true;
      return false;
    };
    return {
      saw: (message) => {
        const number = seq(message);
        if (!Number.isSafeInteger(number)) throw wrongNumber(name, 'of seq(message)', number);
        counts.streamSeen++;
        if (isTwice(number)) {
          counts.streamTwice++;
          return;
        }
        if (arrivals === undefined) {
          counts.streamUntimed++;
          return;
        }
        const sinceNs = arrivals.sinceNs(number, this.nowNs());
        if (sinceNs !== undefined) this.spread(sinceNs / 1000);
      },
    };
  }

  #arrivalsOf(name: string): FirstArrivals | undefined {
    const known = this.#timed.get(name);
    if (known || this.#timed.size >= mostTimed) return known;
    const arrivals = new FirstArrivals();
    this.#timed.set(name, arrivals);
    return arrivals;
  }
}

function wrongNumber(name: string, what: string, number: unknown): RangeError {
  const received = outsideText(`${typeof number} ${String(number)}`, 60);
  return new RangeError(`stream ${outsideText(name, 60)}: expected a whole number ${what}, received ${received}`);
}
