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

/** Verdict rules about p99 and max: they say nothing against a jam that shows in medians and totals. */
const ofTails = new Set(['publish-lag', 'loop-delay', 'calibrated-error']);
const byMaximum = new Set(['backlog-left']);
/** Signs that a machine can fake which stands still for some of the time. */
const byStamps = new Set(['latency-left-plateau', 'backlog-left']);
/** What the signs of a jam are read from. */
const ofSigns = new Set(['delivery', 'deliveryFromIntended', 'drain']);
const beyondP99: readonly unknown[] = ['p999', 'max'];
/** Signs that a publish loop can fake by reading answers late. */
const byPublisher = new Set(['publishes-held-back', 'latency-left-plateau', 'backlog-grows']);
const byJam = new Set(['cut-short', 'nothing-published', 'nothing-delivered', 'silent-shard', 'elapsed-overrun']);
const untakenStops: readonly StopCode[] = ['publishRefused', 'publishFailed'];
const shortStops: readonly StopCode[] = ['publishesShort', 'nothingDelivered'];
const jamStops: readonly StopCode[] = ['completed', 'targetGone', 'connectionsLost', ...untakenStops, ...shortStops];
/** Rules against a good run that does not void it: it may have carried less than its rate. */
const againstGood = new Set(['schedule-missed', 'uniform-ceiling']);

const awayStops: readonly StopCode[] = ['refused', 'handshakeTimeouts'];

/** The stop of a run, for the search: a target that refuses every client after it had some is unreachable. */
export function stopForSearch({ stop, shards }: Pick<RunResult, 'stop' | 'shards'>, hadAudience: boolean): Stop {
  const isAway = awayStops.includes(stop.code) && shards.every(({ result }) => (result?.counts.opened ?? 0) === 0);
  return hadAudience && isAway ? { code: 'targetUnreachable', evidence: stop.evidence } : stop;
}

/** The facts of a run that show whether the target kept up; `series` are those of its roles. */
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

/** The p50 from the intended instant, less what the rig can add at the median: read lag and publish lag. */
function targetsP50({ metrics }: RunResult): number | null {
  const whole = metrics.deliveryFromIntended?.p50 ?? null;
  return whole === null ? null : Math.max(0, whole - receiveLag(metrics) - (metrics.publishLag?.p50 ?? 0));
}

function receiveLag(metrics: RunResult['metrics']): number {
  const sinceSent = metrics.delivery?.p50 ?? 0;
  return Math.max(0, sinceSent - (metrics.deliveryAtLeast?.p50 ?? sinceSent));
}

/** The plateau: medians of the good runs at the lowest rate. */
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

/** The vote of a run, compared with the plateau. Strictly, a mark at any figure makes it doubtful. */
export function judgeRun(
  result: RunResult,
  facts: JamFacts,
  plateau: Plateau,
  isStrict = false,
): { vote: Vote; signs: { sign: string; text: string }[]; doubts: string[] } {
  const signs = jamsOf(facts, plateau);
  const { evidence, doubts: marks = [] } = result.verdict;
  const against =
    signs.length === 0
      ? evidence.filter(({ rule, level }) => level === 'void' || againstGood.has(rule))
      : [...evidence, ...marksIn(result, signs)].filter(({ rule }) => isAgainstJam(rule, result, facts, signs));
  const said = [...against, ...(isStrict ? marks : [])];
  const doubts = [...new Set(said.map(({ rule, text }) => `${rule}: ${text}`))];
  if (!jamStops.includes(result.stop.code)) doubts.push(...result.stop.evidence);
  if (areAll(signs, byPublisher)) doubts.push(...busyPublishers(result));
  const vote = doubts.length > 0 ? 'doubtful' : signs.length > 0 ? 'jammed' : 'good';
  return { vote, signs, doubts };
}

/** The marks at figures that signs are read from; those beyond p99 only where all signs are maxima. */
function marksIn(
  { verdict: { doubts = [] } }: RunResult,
  signs: readonly { sign: string }[],
): { rule: string; text: string }[] {
  return doubts.flatMap(({ rule = '', metric, figure, text }) => {
    const isTold = ofSigns.has(metric) && (!beyondP99.includes(figure) || areAll(signs, byMaximum));
    return isTold ? [{ rule, text }] : [];
  });
}

function isAgainstJam(
  rule: string,
  { stop, metrics }: RunResult,
  { heldBack }: JamFacts,
  signs: readonly { sign: string }[],
): boolean {
  if (ofTails.has(rule)) return areAll(signs, byMaximum);
  if (rule === 'steal') return areAll(signs, byStamps);
  if (byJam.has(rule)) return !jamStops.includes(stop.code);
  // Publishes that wait for answers miss the schedule because of the target.
  if (rule === 'schedule-missed') return heldBack === 0;
  if (rule === 'receive-lag')
    return areAll(signs, byMaximum) || receiveLag(metrics) > allowedUs(metrics.delivery?.p50 ?? 0);
  return true;
}

function areAll(signs: readonly { sign: string }[], among: ReadonlySet<string>): boolean {
  return signs.length > 0 && signs.every(({ sign }) => among.has(sign));
}

/** A publish loop that is always busy reads answers late, and then sends late. */
function busyPublishers({ shards }: RunResult): string[] {
  return shards.flatMap(({ result }) => {
    const all = result?.rig.workers ?? [];
    const busy = all.filter(({ role, utilization }) => role === 'publisher' && utilization > busyAbove);
    const loop = `publisher-busy: the publish loop of shard ${result?.slice.index} was busy`;
    return busy.map(({ utilization }) => `${loop} ${percent(utilization)} of the time`);
  });
}
