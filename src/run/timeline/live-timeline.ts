import type { JobStatus } from '../../contract/shard.js';
import { binsPerBlock } from '../../measure/samples/blocks.js';
import { figuresOf } from '../../measure/samples/distribution.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import {
  type GaugeSeries,
  type GaugeValues,
  gaugeNames,
  gaugeTable,
  type LivePercentiles,
  type ProgressView,
  type RunSecond,
  silentAfterMs,
  type TargetValues,
} from '../../results/progress.js';
import type { RunResult } from '../../results/result.js';
import { coveredMs, type Member } from '../shards/member.js';
import { type Acked, ShardTimeline } from './shard-timeline.js';

/** A shard whose seconds are merged. `isAwaited` is set if the other shards wait for it. */
interface Merged {
  timeline: ShardTimeline;
  isAwaited: boolean;
}

/**
 * Merges the seconds of the shards, counted from the start of the jobs. A second ends when the last live shard has sent
 * it. Late data counts to the next second.
 */
export class RunSeconds {
  readonly #counts = new Uint32Array(binsPerBlock);
  #independent = 0;
  #ended = 0;

  /** Returns the percentiles of all seconds that ended. */
  get soFar(): LivePercentiles {
    return figuresOf(this.#counts, (count) => Math.min(count, this.#independent));
  }

  look(
    merged: readonly Merged[],
    ackedAt: Acked,
  ): Pick<RunSecond, 'atMs' | 'shards' | 'percentiles' | 'isPart' | 'bins'>[] {
    const shards = merged.map(({ timeline }) => timeline);
    const awaited = merged.flatMap(({ timeline, isAwaited }) => (isAwaited ? timeline : []));
    const isAny = awaited.length > 0;
    // What is left when all shards have ended is a second of its own, however short.
    const hasRest = !isAny && shards.some(({ first }) => first <= this.#ended);
    const lastOfAll = Math.max(this.#lastOf(shards), this.#ended + Number(hasRest));
    const until = isAny ? Math.min(...awaited.map(({ last }) => last)) : lastOfAll;
    const ended: ReturnType<typeof this.look> = [];
    for (let second = this.#ended + 1; second <= until; second++) {
      // If a shard skipped a second, that second counts to the next one for all shards.
      const isThere = ({ first }: ShardTimeline): boolean => first <= second;
      if (isAny ? !awaited.every(isThere) : !shards.some(isThere)) continue;
      const counts = new Uint32Array(binsPerBlock);
      const upTo = !isAny && second === until ? Number.POSITIVE_INFINITY : second;
      const ends = shards.map((shard) => shard.end(upTo, ackedAt, counts));
      // Each publish counts once. If a scenario reports no publishes, every sample is an event of its own.
      const published = ends.flatMap((end) => end?.published ?? []);
      const most = published.length > 0 ? published.reduce((sum, each) => sum + each, 0) : Number.POSITIVE_INFINITY;
      const independentOf = (count: number): number => Math.min(count, most);
      counts.forEach((count, bin) => {
        this.#counts[bin] = (this.#counts[bin] as number) + count;
      });
      this.#independent += independentOf(counts.reduce((sum, count) => sum + count, 0));
      ended.push({
        atMs: Math.max(...ends.map((end) => end?.atMs ?? 0)),
        shards: ends.map((end) => end?.gauges ?? null),
        percentiles: figuresOf(counts, independentOf),
        isPart: !isAny && ends.includes(null),
        bins: ends.map((end) => end?.bins ?? []),
      });
      this.#ended = second;
    }
    return ended;
  }

  /** Returns the last second of finished shards. A remainder that few count belongs to the one before. */
  #lastOf(shards: readonly ShardTimeline[]): number {
    const last = Math.max(0, ...shards.map((shard) => shard.last));
    const isOfBefore = last - 1 > this.#ended && shards.some((shard) => shard.last === last - 1);
    return isOfBefore ? last - 1 : last;
  }
}

type Stages = RunResult['environment']['stages'];

/** Returns the stages of all shards, from first start to last end; infinity while a shard runs one. */
export function stagesOfShards(shards: readonly JobStatus['stages'][], postedAtMs: number): Stages {
  const spans = new Map<string, Stages[number]>();
  for (const { name, atMs, durationMs } of shards.flat()) {
    const fromMs = postedAtMs + atMs;
    const known = spans.get(name) ?? { name, fromMs, toMs: fromMs };
    const toMs = Math.max(known.toMs, fromMs + (durationMs ?? Number.POSITIVE_INFINITY));
    spans.set(name, { name, fromMs: Math.min(known.fromMs, fromMs), toMs });
  }
  return [...spans.values()];
}

/** Computes the live figures of a run, and its series, from the status of the shards. */
export class LiveTimeline {
  readonly #seconds = new RunSeconds();
  #last: RunSecond | undefined;
  readonly #shards = new Map<Member, ShardTimeline>();
  /** Last status of each shard, with the time of its arrival. */
  readonly #heard = new Map<Member, { status: JobStatus | undefined; atMs: number }>();

  /** `fromMs`: when the jobs were posted, on the axis of the result. `targetNow`: values of the target. */
  constructor(
    private readonly plannedMs: number,
    private readonly fromMs: number,
    private readonly targetNow: () => TargetValues,
  ) {}

  look(members: readonly Member[], elapsedMs: number): ProgressView {
    const timelines = members.map((member) => this.#of(member));
    for (const [index, { status }] of members.entries()) timelines[index]!.take(status?.seconds ?? []);
    const shards = members.map((member, index) => {
      const timeline = timelines[index]!;
      const { atMs } = timeline;
      return {
        index,
        url: member.url,
        stage: member.status?.stage ?? 'start',
        lost: member.lost ?? null,
        silentMs: member.isOver ? 0 : this.#silentMs(member, elapsedMs),
        awaitedMs: member.awaitedMs,
        atMs: atMs === null ? null : this.fromMs + atMs,
        gauges: member.status?.state === 'done' ? {} : timeline.latest(this.#ackedAt),
      };
    });
    const seconds = this.#end(
      shards.map(({ lost, silentMs }, index) => ({
        timeline: timelines[index]!,
        isAwaited: lost === null && silentMs < silentAfterMs && members[index]?.isOver === false,
      })),
    );
    const isOver = members.every((member) => member.isOver);
    const stages = stagesOfShards(
      members.map(({ status }) => status?.stages ?? []),
      this.fromMs,
    );
    return {
      stage: isOver ? 'done' : (members.find((member) => !member.isOver)?.status?.stage ?? 'start'),
      elapsedMs,
      plannedMs: this.plannedMs + coveredMs(members.flatMap((member) => member.silencesUntil(performance.now()))),
      figures: sumCounts(members.map((member) => member.status?.progress ?? {})),
      gauges: gaugesTogether(
        shards.filter(({ lost, silentMs }) => lost === null && silentMs < silentAfterMs).map(({ gauges }) => gauges),
      ),
      shards,
      percentiles: isOver || this.#last === undefined ? null : this.#seconds.soFar,
      loadAtMs: stages[0]?.fromMs ?? null,
      stages: stages.map(({ toMs, ...each }) => ({ ...each, toMs: Number.isFinite(toMs) ? toMs : null })),
      seconds,
    };
  }

  #end(merged: readonly Merged[]): RunSecond[] {
    const ended = this.#seconds.look(merged, this.#ackedAt);
    if (ended.length === 0) return [];
    const target = this.targetNow();
    const seconds = ended.map(({ atMs, shards, ...second }) => ({
      ...second,
      atMs: this.fromMs + atMs,
      gauges: gaugesTogether(shards.flatMap((gauges) => gauges ?? [])),
      shards,
      target,
    }));
    this.#last = seconds.at(-1);
    return seconds;
  }

  /** Returns every gauge of every shard over the whole run. Gauges of a lost shard end with its last status. */
  gauges(): GaugeSeries[] {
    return [...this.#shards].flatMap(([member, timeline], index) =>
      timeline.series(index, this.fromMs, this.#ackedAt, member.lost),
    );
  }

  #silentMs(member: Member, nowMs: number): number {
    const heard = this.#heard.get(member);
    // Every answer of a shard is a new object.
    if (heard && heard.status === member.status) return nowMs - heard.atMs;
    this.#heard.set(member, { status: member.status, atMs: nowMs });
    return 0;
  }

  #of(member: Member): ShardTimeline {
    const timeline = this.#shards.get(member) ?? new ShardTimeline();
    this.#shards.set(member, timeline);
    return timeline;
  }

  readonly #ackedAt = (atMs: number): number =>
    [...this.#shards.values()].reduce((sum, timeline) => sum + timeline.ackedAt(atMs), 0);
}

/** Merges the gauges of several shards. */
export function gaugesTogether(shards: readonly GaugeValues[]): GaugeValues {
  const known = (name: (typeof gaugeNames)[number]): number[] => shards.flatMap((gauges) => gauges[name] ?? []);
  return Object.fromEntries(
    gaugeNames
      .map((name) => [name, known(name)] as const)
      .filter(([, values]) => values.length > 0)
      .map(([name, values]) => [
        name,
        gaugeTable[name].together === 'max' ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0),
      ]),
  );
}
