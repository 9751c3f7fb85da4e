import { expect, it } from 'vitest';
import type { ShardSecond } from '../../contract/shard.js';
import { Blocks, binsPerBlock, changedBins } from '../../measure/samples/blocks.js';
import { summarize } from '../../measure/samples/distribution.js';
import { RunSeconds } from './live-timeline.js';
import { ShardTimeline } from './shard-timeline.js';

const second = (atMs: number, received: number, bins?: number[]): ShardSecond => ({
  atMs,
  progress: { subscribers: 7, received },
  rig: { loopDelayMs: 1, cpuCores: 0.5, rssBytes: 1000 },
  ...(bins && { bins }),
});

/** A shard whose samples are told as a bench-runner tells them: all so far. */
class Samples {
  readonly #blocks = new Blocks(1);
  readonly #counts = new Uint32Array(binsPerBlock);
  readonly all: number[] = [];

  add(...us: number[]): this {
    for (const each of us) {
      const bin = this.#blocks.record(0, each);
      this.#counts[bin] = (this.#counts[bin] as number) + 1;
      this.all.push(each);
    }
    return this;
  }

  get bins(): number[] {
    return changedBins(this.#counts, new Uint32Array(binsPerBlock));
  }
}

class Run {
  readonly #seconds = new RunSeconds();
  readonly #timelines = [new ShardTimeline(), new ShardTimeline()];

  /** Of each shard what its status holds; null of one that nobody waits for. */
  look(...statuses: (ShardSecond[] | null)[]) {
    return this.#look(statuses, (seconds) => seconds !== null);
  }

  /** The last words of shards that are all done. */
  end(...statuses: ShardSecond[][]) {
    return this.#look(statuses, () => false);
  }

  #look(statuses: (ShardSecond[] | null)[], isAwaited: (seconds: ShardSecond[] | null) => boolean) {
    return this.#seconds.look(
      statuses.map((seconds, index) => {
        const timeline = this.#timelines[index]!;
        timeline.take(seconds ?? []);
        return { timeline, isAwaited: isAwaited(seconds) };
      }),
      () => 0,
    );
  }
}

const rates = (ended: ReturnType<Run['look']>) =>
  ended.map(({ shards }) => shards.map((gauges) => gauges?.deliveriesPerSecond ?? null));
const many = (count: number, us: (n: number) => number): number[] => Array.from({ length: count }, (_, n) => us(n));

it('seconds end when the last shard has told them, each once', () => {
  const run = new Run();
  expect(run.look([second(1003, 70)], [])).toEqual([]);
  const [first] = run.look([second(1003, 70), second(2001, 140)], [second(1007, 50)]);
  expect(first).toMatchObject({ atMs: 1007 });
  expect(first?.shards.map((gauges) => Math.round(gauges?.deliveriesPerSecond ?? 0))).toEqual([70, 50]);
  expect(run.look([second(2001, 140)], [second(1007, 50)])).toEqual([]);
  expect(run.look([second(2001, 140)], [second(2003, 90)])).toHaveLength(1);
});

it('seconds do not wait for a shard that is lost or silent, and count what one told late in the next', () => {
  const run = new Run();
  run.look([second(1000, 70)], [second(1000, 50)]);
  expect(rates(run.look([second(2000, 140)], null))).toEqual([[70, null]]);
  expect(rates(run.look([second(3000, 140)], [second(2000, 100), second(3000, 160)]))).toEqual([[0, 55]]);
});

it('seconds are one for all where a shard was held up over an end', () => {
  const run = new Run();
  run.look([second(1000, 70)], [second(1000, 50)]);
  expect(run.look([second(2000, 140)], [])).toEqual([]);
  expect(rates(run.look([second(2000, 140), second(3000, 210)], [second(3000, 150)]))).toEqual([[70, 50]]);
});

it('seconds leave what the end left of the last out, unless it is half a second', () => {
  const run = new Run();
  run.look([second(1000, 70)], [second(1000, 50)]);
  const short = [second(1300, 90)];
  expect(run.look(short, short)).toEqual([]);
  const long = new Run();
  long.look([second(1000, 70)], [second(1000, 50)]);
  expect(long.look([second(1600, 130)], [second(1700, 120)])).toMatchObject([{ atMs: 1700 }]);
});

it('seconds have at the end the same rest of all, though it counts as a second for some alone', () => {
  const run = new Run();
  run.look([second(1000, 70)], [second(1000, 50)]);
  const told = [
    [second(2000, 140), second(2480, 174)],
    [second(2000, 100), second(2520, 126)],
  ] as const;
  // Nobody is waited for any more.
  const ended = run.end([...told[0]], [...told[1]]);
  expect(ended).toMatchObject([{ atMs: 2520 }]);
  expect(rates(ended)).toEqual([[104 / 1.48, 76 / 1.52]]);
  const late = new Run();
  late.look([second(1000, 70), second(2000, 140)], [second(1000, 50), second(2000, 100)]);
  expect(rates(late.end([second(2480, 164)], [second(2520, 126)]))).toEqual([[50, 50]]);
});

it('seconds have the percentiles of the samples of all shards that came in them, never a mean of percentiles', () => {
  const run = new Run();
  const [one, two] = [new Samples(), new Samples()];
  run.look([second(1000, 0, one.add(9).bins)], [second(1000, 0, two.add(9).bins)]);
  const fast = many(503, (n) => 700 + n);
  const slow = many(211, (n) => 90_000 + 100 * n);
  const [ended] = run.look([second(2000, 1, one.add(...fast).bins)], [second(2000, 1, two.add(...slow).bins)]);
  const values = Uint32Array.from([...fast, ...slow]).sort();
  const { p50, p99 } = summarize({ kind: 'raw', values });
  expect(ended?.percentiles.count).toBe(714);
  expect((ended?.percentiles.p50 ?? 0) / (p50 ?? 1)).toBeCloseTo(1, 1);
  expect((ended?.percentiles.p99 ?? 0) / (p99 ?? 1)).toBeCloseTo(1, 1);
});

it('seconds count what was published once, however many samples came of it', () => {
  const one = new Samples().add(...many(700, (n) => 700 + n));
  const published = (sent: number): ShardSecond => {
    const told = second(1000, 0, one.bins);
    return { ...told, progress: { ...told.progress, published: sent } };
  };
  const of = (sent: number) => new Run().look([published(sent)], [second(1000, 0, [])])[0]?.percentiles;
  expect(of(9)).toMatchObject({ count: 700, p50: null, p99: null });
  expect(of(10)).toMatchObject({ p50: expect.any(Number), p99: null });
  expect(of(500)).toMatchObject({ p50: expect.any(Number), p99: expect.any(Number) });
  expect((of(1)?.max ?? 0) / 1399).toBeCloseTo(1, 1);
});

it('seconds miss no sample of a shard whose poll was lost: they count in the second that came', () => {
  const run = new Run();
  const [one, two] = [new Samples(), new Samples()];
  const counts: number[] = [];
  const look = (...statuses: Parameters<Run['look']>) =>
    counts.push(...run.look(...statuses).map(({ percentiles }) => percentiles.count));
  look([second(1000, 0, one.add(7, 7).bins)], [second(1000, 0, two.add(7).bins)]);
  one.add(11, 13, 17);
  two.add(11);
  // Nobody heard shard 0 for a second and a half: its bins come with the last second alone.
  look([second(2000, 0), second(3000, 0, one.add(19).bins)], [second(2000, 0), second(3000, 0, two.bins)]);
  look([second(4000, 0, one.bins)], [second(4000, 0, two.add(23, 29).bins)]);
  expect(counts).toEqual([3, 0, 5, 2]);
  expect(counts.reduce((sum, each) => sum + each, 0)).toBe(one.all.length + two.all.length);
});

it('seconds have what is left of one shard when all have ended, as a part', () => {
  const run = new Run();
  const [one, two] = [new Samples(), new Samples()];
  run.look([second(1000, 0, one.add(7).bins)], [second(1000, 0, two.add(7).bins)]);
  const rest = run.end([second(1300, 0, one.add(11, 13).bins)], [second(1000, 0, two.bins)]);
  expect(rest.map(({ isPart, percentiles, bins }) => [isPart, percentiles.count, bins[1]])).toEqual([[true, 2, []]]);
});
