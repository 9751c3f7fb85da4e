import type { JobStatus } from '../../contract/shard.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import { type GaugeSeries, gaugeNames, gaugeTable } from '../../results/over-time/series.js';
import {
  type GaugeValues,
  type ProgressView,
  type RunSecond,
  silentAfterMs,
  type TargetValues,
} from '../../results/progress.js';
import type { RunResult } from '../../results/result.js';
import { coveredMs, type Member } from '../shards/member.js';
import { RunSeconds, type Teller } from './run-seconds.js';
import { ShardTimeline } from './shard-course.js';

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
  readonly #plannedMs: number;
  readonly #fromMs: number;
  readonly #targetNow: () => TargetValues;
  readonly #seconds = new RunSeconds();
  #last: RunSecond | undefined;
  readonly #shards = new Map<Member, ShardTimeline>();
  /** Last status of each shard, with the time of its arrival. */
  readonly #heard = new Map<Member, { status: JobStatus | undefined; atMs: number }>();

  /** `fromMs`: when the jobs were posted, on the axis of the result. `targetNow`: values of the target. */
  constructor(plannedMs: number, fromMs: number, targetNow: () => TargetValues) {
    this.#plannedMs = plannedMs;
    this.#fromMs = fromMs;
    this.#targetNow = targetNow;
  }

  look(members: readonly Member[], elapsedMs: number): ProgressView {
    const told = members.map((member) => this.#of(member).take(member.status?.seconds ?? []));
    const shards = members.map((member, index) => {
      const course = this.#of(member);
      const { atMs } = course;
      return {
        index,
        url: member.url,
        stage: member.status?.stage ?? 'start',
        lost: member.lost ?? null,
        silentMs: member.isOver ? 0 : this.#silentMs(member, elapsedMs),
        awaitedMs: member.awaitedMs,
        atMs: atMs === null ? null : this.#fromMs + atMs,
        gauges: member.status?.state === 'done' ? {} : course.latest(this.#ackedAt),
      };
    });
    const seconds = this.#end(
      shards.map(({ lost, silentMs }, index) => ({
        told: told[index] ?? [],
        isAwaited: lost === null && silentMs < silentAfterMs && members[index]?.isOver === false,
      })),
    );
    const isOver = members.every((member) => member.isOver);
    const stages = stagesOfShards(
      members.map(({ status }) => status?.stages ?? []),
      this.#fromMs,
    );
    return {
      stage: isOver ? 'done' : (members.find((member) => !member.isOver)?.status?.stage ?? 'start'),
      elapsedMs,
      plannedMs: this.#plannedMs + coveredMs(members.flatMap((member) => member.silencesUntil(performance.now()))),
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

  #end(tellers: readonly Teller[]): RunSecond[] {
    const ended = this.#seconds.look(tellers, this.#ackedAt);
    if (ended.length === 0) return [];
    const target = this.#targetNow();
    const seconds = ended.map(({ atMs, shards, ...second }) => ({
      ...second,
      atMs: this.#fromMs + atMs,
      gauges: gaugesTogether(shards.flatMap((gauges) => gauges ?? [])),
      shards,
      target,
    }));
    this.#last = seconds.at(-1);
    return seconds;
  }

  /** Returns every gauge of every shard over the whole run. Gauges of a lost shard end with its last status. */
  gauges(): GaugeSeries[] {
    return [...this.#shards].flatMap(([member, course], index) =>
      course.series(index, this.#fromMs, this.#ackedAt, member.lost),
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
    const course = this.#shards.get(member) ?? new ShardTimeline();
    this.#shards.set(member, course);
    return course;
  }

  readonly #ackedAt = (atMs: number): number =>
    [...this.#shards.values()].reduce((sum, course) => sum + course.ackedAt(atMs), 0);
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
