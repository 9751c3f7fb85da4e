import { median } from 'simple-statistics';
import type { Stop, StopCode } from '../../../contract/stop-reasons.js';
import { blocksOf } from '../../../measure/samples/blocks.js';
import { sumCounts } from '../../../measure/samples/sums.js';
import { type JamFacts, jamsOf, type Plateau } from '../../../measure/stats/jam.js';
import { blockMedians, robustSlope } from '../../../measure/stats/trend.js';
import { allowedUs } from '../../../measure/verdict/brackets.js';
import { percent } from '../../../measure/verdict/evidence.js';
import { busyAbove } from '../../../measure/verdict/loop-rules.js';
import type { RunResult } from '../../../results/result.js';
import { causesInWords } from '../../../units/words.js';
import type { Vote } from '../rates.js';

/** Rules of the verdict that cannot make a jam out of a run that kept up where it is told by medians and totals: they are about p99 and max. */
const ofTails = new Set(['publish-lag', 'loop-delay', 'gc-pause', 'calibrated-error']);
/** The sign that is told by a maximum. */
const byMaximum = new Set(['backlog-left']);
/** Signs that stamps of a loop without a core can be. */
const byStamps = new Set(['latency-left-plateau', 'backlog-left']);
/** Signs that a publish loop can be that reads its answers late. */
const byPublisher = new Set(['publishes-held-back', 'latency-left-plateau', 'backlog-grows']);
/** What a jam does to a run. */
const byJam = new Set(['cut-short', 'nothing-published', 'nothing-delivered', 'silent-shard', 'elapsed-overrun']);
const untakenStops: readonly StopCode[] = ['publishRefused', 'publishFailed'];
const shortStops: readonly StopCode[] = ['publishesShort', 'nothingDelivered'];
const jamStops: readonly StopCode[] = ['completed', 'targetGone', 'connectionsLost', ...untakenStops, ...shortStops];
/** What speaks against a run that kept up, beside all that voids it: it may have carried less than its rate says. */
const againstGood = new Set(['schedule-missed', 'uniform-ceiling']);

/** Stops of a target that took nobody at all. */
const awayStops: readonly StopCode[] = ['refused', 'handshakeTimeouts'];

/**
 * What ended a run, for the search: a target that takes nobody, where an earlier run had its audience, can't be reached any more, whatever stands at its
 * address and says no.
 */
export function stopForSearch({ stop, shards }: Pick<RunResult, 'stop' | 'shards'>, hadAudience: boolean): Stop {
  const isAway = awayStops.includes(stop.code) && shards.every(({ result }) => (result?.counts.opened ?? 0) === 0);
  return hadAudience && isAway ? { code: 'targetUnreachable', evidence: stop.evidence } : stop;
}

/** What a run says of whether the target kept up; `series` are those of its roles. */
export function factsOf(result: RunResult, series: Record<string, Uint32Array>): JamFacts {
  const entry = (name: string): number => (result.ledger[name] as number | undefined) ?? 0;
  const scheduleMs = (entry('attempted') * 1000) / (result.job.options.ratePerSecond as number);
  const cuts = sumCounts(result.shards.map((shard) => shard.result?.causes.close ?? {}));
  const { ours: _ours, ...cutByTarget } = cuts as Record<string, number>;
  const growth = robustSlope(blockMedians(series[blocksOf('deliveryFromIntended')] ?? new Uint32Array(0)));
  return {
    scheduleMs,
    offeredPerSecond: entry('offeredPerSecond'),
    achievedPerSecond: entry('achievedPerSecond'),
    attempted: entry('attempted'),
    unacked: entry('refused') + entry('failed'),
    untaken: untakenStops.includes(result.stop.code) ? result.stop.evidence.join('; ') : undefined,
    heldBack: entry('latePublishes'),
    expected: entry('expected'),
    lost: entry('lost'),
    cut: Object.values(cutByTarget).reduce((sum, each) => sum + each, 0),
    cutBy: causesInWords(cutByTarget),
    gone: result.stop.code === 'targetGone' ? result.stop.evidence.join('; ') : undefined,
    p50: targetsP50(result),
    drain: result.metrics.drain?.max ?? null,
    growthMsPerSecond: growth === undefined || scheduleMs === 0 ? undefined : growth / scheduleMs,
  };
}

/** The p50 from the intended instant, less what the rig can have added at the median: a frame's wait in its loops, and the lag of its publishes. */
function targetsP50({ metrics }: RunResult): number | null {
  const whole = metrics.deliveryFromIntended?.p50 ?? null;
  return whole === null ? null : Math.max(0, whole - receiveLag(metrics) - (metrics.publishLag?.p50 ?? 0));
}

function receiveLag(metrics: RunResult['metrics']): number {
  const sinceSent = metrics.delivery?.p50 ?? 0;
  return Math.max(0, sinceSent - (metrics.deliveryAtLeast?.p50 ?? sinceSent));
}

/** The plateau out of the runs at the lowest rate that were kept up with. */
export function plateauOf(runs: readonly JamFacts[]): Plateau {
  const middle = (of: (facts: JamFacts) => number | null): number | null => {
    const known = runs.flatMap((facts) => of(facts) ?? []);
    return known.length > 0 ? median(known) : null;
  };
  return {
    p50: middle(({ p50 }) => p50),
    drain: middle(({ drain }) => drain),
    unackedShare: middle(({ unacked, attempted }) => unacked / Math.max(1, attempted)) ?? 0,
    lostShare: middle(({ lost, expected }) => lost / Math.max(1, expected)) ?? 0,
  };
}

/** What a run says, held against the plateau. */
export function judgeRun(
  result: RunResult,
  facts: JamFacts,
  plateau: Plateau,
): { vote: Vote; signs: { sign: string; text: string }[]; doubts: string[] } {
  const signs = jamsOf(facts, plateau);
  const doubts = result.verdict.evidence
    .filter(({ rule, level }) =>
      signs.length === 0 ? level === 'void' || againstGood.has(rule) : isAgainstJam(rule, result, facts, signs),
    )
    .map(({ rule, text }) => `${rule}: ${text}`);
  if (!jamStops.includes(result.stop.code)) doubts.push(...result.stop.evidence);
  if (areAll(signs, byPublisher)) doubts.push(...busyPublishers(result));
  const vote = doubts.length > 0 ? 'doubtful' : signs.length > 0 ? 'jammed' : 'good';
  return { vote, signs, doubts };
}

function isAgainstJam(
  rule: string,
  { stop, metrics }: RunResult,
  { heldBack }: JamFacts,
  signs: readonly { sign: string }[],
): boolean {
  if (ofTails.has(rule)) return areAll(signs, byMaximum);
  // A loop that waits for a core stamps late, but while it still comes to idle (`loop-utilization`) it has read all that there was: no growing backlog is its.
  if (rule === 'core-starved') return areAll(signs, byStamps);
  if (byJam.has(rule)) return !jamStops.includes(stop.code);
  // The schedule that waits for answers was missed by the target.
  if (rule === 'schedule-missed') return heldBack === 0;
  if (rule === 'receive-lag') return receiveLag(metrics) > allowedUs(metrics.delivery?.p50 ?? 0);
  return true;
}

/** Whether a jam shows by no other signs than these. */
function areAll(signs: readonly { sign: string }[], among: ReadonlySet<string>): boolean {
  return signs.length > 0 && signs.every(({ sign }) => among.has(sign));
}

/** A publish loop that is always busy reads answers late, and sends late what waits for them. */
function busyPublishers({ shards }: RunResult): string[] {
  return shards.flatMap(({ result }) =>
    (result?.rig.workers ?? [])
      .filter(({ role, utilization }) => role === 'publisher' && utilization > busyAbove)
      .map(
        ({ utilization }) =>
          `publisher-busy: the publish loop of shard ${result?.slice.index} was busy ${percent(utilization)} of the time`,
      ),
  );
}
