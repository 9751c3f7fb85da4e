import type { ShardSecond } from '../../contract/shard.js';
import { binsPerBlock, putBins } from '../../measure/samples/blocks.js';
import type { GaugeValues } from '../../results/progress.js';
import {
  type GaugeName,
  type GaugeSeries,
  gaugeNames,
  gaugeTable,
  shardSource,
  startsAtZero,
} from '../../results/progress.js';
import { manyStreams } from '../../scenarios/streams.js';

/** Points that a timeline keeps. Above this number, each point covers twice the time. */
export const pointsAtMost = 2000;
const secondMs = 1000;

/** Describes one point of a shard's timeline, as sums since the start of the job. */
interface TimelinePoint {
  atMs: number;
  open: number;
  /** Clients that each broadcast must reach: the largest number that were subscribed. */
  members: number;
  received: number | undefined;
  published: number | undefined;
  acked: number | undefined;
  /** Missing deliveries, if the workers count them. */
  awaited: number | undefined;
  cpuSeconds: number;
  loopDelayMs: number;
  rssBytes: number | undefined;
  /** Stolen share of core time, summed over time. */
  stolenSeconds: number | undefined;
}

/** Point at the start of a job. */
const start: TimelinePoint = {
  atMs: 0,
  open: 0,
  members: 0,
  received: 0,
  published: 0,
  acked: 0,
  awaited: 0,
  cpuSeconds: 0,
  loopDelayMs: 0,
  rssBytes: undefined,
  stolenSeconds: undefined,
};

/** Merges two neighbouring points. Keeps the sums of the later one, and the worse delay. */
function join(before: TimelinePoint, after: TimelinePoint): TimelinePoint {
  return { ...after, loopDelayMs: Math.max(before.loopDelayMs, after.loopDelayMs) };
}

/** One second of a shard. The bins count its samples since the start of the job. */
interface WaitingSecond {
  number: number;
  entry: TimelinePoint;
  bins: readonly number[] | undefined;
}

/** The values of one shard for one second. `published` is set if the shard publishes or sends. */
interface EndedSecond {
  atMs: number;
  gauges: GaugeValues;
  published: number | undefined;
  /** Samples of that second, as a flat list of bin and count. */
  bins: readonly number[];
}

/** Returns the second to which a point belongs. Less than half a second counts to the one before. */
const numberOf = ({ atMs }: TimelinePoint): number => Math.round(atMs / 1000);

/** Returns the number of broadcasts of all shards that the target had accepted at an instant. */
export type Acked = (atMs: number) => number;

/** Keeps a shard's timeline second by second in bounded memory. */
export class ShardTimeline {
  #entries: TimelinePoint[] = [start];
  #leastMs = secondMs;
  /** Number of the last second that the shard sent. */
  last = 0;
  #waiting: WaitingSecond[] = [];
  #ended: TimelinePoint = start;
  #bins = new Uint32Array(binsPerBlock);

  take(seconds: readonly ShardSecond[]): void {
    for (const second of seconds) {
      if (second.atMs <= this.#last.atMs) continue;
      const entry = this.#entryOf(second);
      this.#add(entry);
      this.#waiting.push({ number: numberOf(entry), entry, bins: second.bins });
      this.last = numberOf(entry);
    }
  }

  /** Number of the first second that belongs to no ended one yet. */
  get first(): number {
    return this.#waiting[0]?.number ?? Number.POSITIVE_INFINITY;
  }

  /** Ends the seconds up to this number; null without any. Adds the samples since the last end to `counts`. */
  end(number: number, ackedAt: Acked, counts: Uint32Array): EndedSecond | null {
    const ended = this.#waiting.filter((each) => each.number <= number);
    this.#waiting = this.#waiting.slice(ended.length);
    const [first, ...rest] = ended.map(({ entry }) => entry);
    if (!first) return null;
    const [before, entry] = [this.#ended, rest.reduce(join, first)];
    this.#ended = entry;
    const bins = this.#bins.slice();
    putBins(ended.findLast((each) => each.bins !== undefined)?.bins ?? [], bins);
    const grown: number[] = [];
    bins.forEach((count, bin) => {
      const more = count - (this.#bins[bin] as number);
      counts[bin] = (counts[bin] as number) + more;
      if (more > 0) grown.push(bin, more);
    });
    this.#bins = bins;
    const published = entry.published === undefined ? undefined : entry.published - (before.published ?? 0);
    return { atMs: entry.atMs, gauges: gaugesOf(before, entry, ackedAt), published, bins: grown };
  }

  get #last(): TimelinePoint {
    return this.#entries[this.#entries.length - 1] as TimelinePoint;
  }

  /** End of the last second; null before the first. */
  get atMs(): number | null {
    return this.#entries.length > 1 ? this.#last.atMs : null;
  }

  #entryOf({ atMs, progress, rig }: ShardSecond): TimelinePoint {
    const last = this.#last;
    const subscribers = progress.subscribers ?? 0;
    const seconds = (atMs - last.atMs) / 1000;
    return {
      atMs,
      open: subscribers - (progress.offline ?? 0),
      members: Math.max(last.members, subscribers),
      received: progress.received,
      published: progress.published ?? progress.sent,
      // While visitors come and go, or with many streams, the number of receivers of a broadcast is unknown.
      acked: (progress.visitors ?? progress[manyStreams]) === undefined ? progress.acked : undefined,
      awaited: progress.awaited,
      cpuSeconds: last.cpuSeconds + rig.cpuCores * seconds,
      loopDelayMs: rig.loopDelayMs,
      rssBytes: rig.rssBytes ?? undefined,
      stolenSeconds:
        rig.stolenShare === undefined ? last.stolenSeconds : (last.stolenSeconds ?? 0) + rig.stolenShare * seconds,
    };
  }

  #add(entry: TimelinePoint): void {
    const entries = this.#entries;
    const [before, last] = entries.slice(-2);
    // The length of a second varies by milliseconds.
    if (before && last && last.atMs - before.atMs < this.#leastMs * 0.75)
      entries[entries.length - 1] = join(last, entry);
    else entries.push(entry);
    if (entries.length <= pointsAtMost) return;
    this.#leastMs *= 2;
    const [first, ...rest] = entries as [TimelinePoint, ...TimelinePoint[]];
    this.#entries = [first];
    for (let i = 0; i < rest.length; i += 2) {
      const [one, two] = [rest[i] as TimelinePoint, rest[i + 1]];
      this.#entries.push(two ? join(one, two) : one);
    }
  }

  ackedAt(atMs: number): number {
    const [before, after] = this.#around(atMs);
    const [base, acked] = [before.acked ?? 0, after.acked ?? 0];
    const share =
      after.atMs > before.atMs ? (Math.min(atMs, after.atMs) - before.atMs) / (after.atMs - before.atMs) : 1;
    return base + (acked - base) * share;
  }

  #around(atMs: number): [TimelinePoint, TimelinePoint] {
    let [low, high] = [0, this.#entries.length - 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#entries[middle] as TimelinePoint).atMs < atMs) low = middle + 1;
      else high = middle;
    }
    return [this.#entries[Math.max(0, low - 1)] as TimelinePoint, this.#entries[low] as TimelinePoint];
  }

  latest(ackedAt: Acked): GaugeValues {
    const [before, last] = this.#entries.slice(-2);
    return before && last ? gaugesOf(before, last, ackedAt) : {};
  }

  /** Returns every gauge that has values. `offsetMs`: start of the job on the axis of the result. */
  series(index: number, offsetMs: number, ackedAt: Acked, endedBecause: string | undefined): GaugeSeries[] {
    const entries = this.#whole();
    const values = entries.map((entry, n) => gaugesOf(entries[n - 1] ?? entry, entry, ackedAt));
    return gaugeNames.flatMap((name): GaugeSeries[] => {
      const points = values.flatMap((each, n) => {
        const value = each[name];
        return value === undefined || (n === 0 && !startsAtZero.has(name))
          ? []
          : [{ atMs: offsetMs + (entries[n] as TimelinePoint).atMs, value }];
      });
      // A scenario without this gauge has only the start.
      if (points.length <= (startsAtZero.has(name) ? 1 : 0)) return [];
      const series = { source: shardSource(index), name, unit: gaugeTable[name].unit, points };
      return [endedBecause === undefined ? series : { ...series, endedBecause }];
    });
  }

  /** Merges a short last second into the one before, as its rate would be noise. */
  #whole(): readonly TimelinePoint[] {
    const [before, last] = this.#entries.slice(-2);
    const isShort = before && last && before !== start && last.atMs - before.atMs < this.#leastMs / 2;
    return isShort ? [...this.#entries.slice(0, -2), join(before, last)] : this.#entries;
  }
}

/** Computes the gauges between two points. */
function gaugesOf(before: TimelinePoint, entry: TimelinePoint, ackedAt: Acked): GaugeValues {
  const seconds = (entry.atMs - before.atMs) / 1000;
  const rate = (now: number | undefined, then: number | undefined): number | undefined =>
    now === undefined ? undefined : seconds > 0 ? (now - (then ?? 0)) / seconds : 0;
  const values: Record<GaugeName, number | undefined> = {
    open: entry.open,
    deliveriesPerSecond: rate(entry.received, before.received),
    publishesPerSecond: rate(entry.published, before.published),
    backlog: backlogOf(entry, ackedAt),
    loopDelayMs: entry.loopDelayMs,
    cpuCores: rate(entry.cpuSeconds, before.cpuSeconds),
    rssBytes: entry.rssBytes,
    stolenPercent: percentOf(rate(entry.stolenSeconds, before.stolenSeconds)),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function percentOf(share: number | undefined): number | undefined {
  return share === undefined ? undefined : share * 100;
}

/** Returns the missing deliveries, at least zero: unanswered broadcasts are not due yet. */
function backlogOf(entry: TimelinePoint, ackedAt: Acked): number | undefined {
  if (entry.awaited !== undefined && entry.acked === undefined) return entry.awaited;
  if (entry.acked === undefined || entry.received === undefined) return undefined;
  return Math.max(0, Math.round(ackedAt(entry.atMs) * entry.members - entry.received));
}
