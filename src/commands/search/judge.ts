import { median } from 'simple-statistics';
import { type StopCode, stopReasons } from '../../contract/stop-reasons.js';
import { blocksOf } from '../../measure/samples/blocks.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import { type JamFacts, jamFactsOf, type jamsOf, type Observed, type Plateau } from '../../measure/stats/jam.js';
import { blockMedians, robustSlope } from '../../measure/stats/trend.js';
import { percent } from '../../measure/verdict/facts.js';
import { busyAbove } from '../../measure/verdict/loop-rules.js';
import { leastByBounds } from '../../results/figures.js';
import type { RunResult } from '../../results/result.js';
import type { SearchTry } from '../../results/search.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { causesInWords } from '../../units/text.js';

/** Signs that a publish loop can fake by reading answers late. */
const byPublisher = new Set(['publishes-held-back', 'latency-left-plateau', 'backlog-grows']);
const byJam = new Set(['cut-short', 'nothing-published', 'nothing-delivered', 'silent-shard', 'elapsed-overrun']);
const untakenStops: readonly StopCode[] = ['publishRefused', 'publishFailed'];
const shortStops: readonly StopCode[] = ['publishesShort', 'nothingDelivered'];
const jamStops: readonly StopCode[] = ['completed', 'targetGone', 'connectionsLost', ...untakenStops, ...shortStops];
/** Rules that speak against a good run without voiding it: it may have carried less than its rate. */
const againstGood = new Set(['schedule-missed', 'publishes-withheld', 'uniform-ceiling']);

/** Returns the facts of a run that show whether the target kept up. `series` are those of its roles. */
export function factsOf(
  result: RunResult,
  series: Record<string, Uint32Array>,
  { metrics: declared, blockTimes }: Pick<Scenario, 'metrics' | 'blockTimes'>,
): JamFacts {
  const { metrics, ledger, job, shards, stop, verdict } = result;
  const cuts = sumCounts(shards.map((shard) => shard.result?.causes.close ?? {}));
  const { ours: _ours, ...cutByTarget } = cuts as Record<string, number>;
  const run: Observed = {
    ...{ metrics, ledger, declared, times: blockTimes?.(job.options) ?? {} },
    growthUs: (metric) => robustSlope(blockMedians(series[blocksOf(metric)] ?? new Uint32Array(0))),
    leastUs: (metric, figure) => leastByBounds(verdict, metric, figure),
  };
  return jamFactsOf(run, {
    untaken: untakenStops.includes(stop.code) ? stop.evidence.join('; ') : undefined,
    cut: Object.values(cutByTarget).reduce((sum, each) => sum + each, 0),
    cutBy: causesInWords(cutByTarget),
    gone: stop.code === 'targetGone' ? stop.evidence.join('; ') : undefined,
  });
}

/** Returns the plateau: medians of the good runs at the lowest rate. */
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

/** Holds the signs of a run, whether they remain at the least values of its figures, and the metrics they come from. */
export interface Shown extends ReturnType<typeof jamsOf> {
  readFrom: readonly string[];
}

/** Judges a run by its signs. Bounds leave it open where no sign is sure. With `isStrict`, any bound does. */
export function judgeRun(
  result: RunResult,
  { heldBack }: JamFacts,
  { signs, isSure, readFrom }: Shown,
  isStrict = false,
): Pick<SearchTry, 'holds' | 'signs' | 'why'> {
  const { verdict, stop } = result;
  const { evidence, bounds = [] } = verdict;
  const isShown = signs.length > 0;
  const { isFinding }: { isFinding?: boolean } = stopReasons[stop.code];
  const isTargets = jamStops.includes(stop.code) || (isShown && isFinding === true);
  const isAgainstJam = (rule: string): boolean => {
    if (byJam.has(rule)) return !isTargets;
    // Publishes that wait for answers miss the schedule because of the target.
    return rule === 'schedule-missed' ? heldBack === 0 : true;
  };
  const against = evidence.filter(({ rule, level }) =>
    isShown ? isAgainstJam(rule) : level === 'void' || againstGood.has(rule),
  );
  const open = isShown && !isSure ? bounds.filter(({ metric }) => readFrom.includes(metric)) : [];
  const said = [...against, ...(isStrict ? bounds : open)].map(({ rule, text }) => `${rule}: ${text}`);
  const why = [
    ...new Set(said),
    ...(isShown && !isSure && said.length === 0 ? ['receive-lag: the load generator may have made it'] : []),
    ...(isTargets ? [] : stop.evidence),
    ...(isShown && signs.every(({ sign }) => byPublisher.has(sign)) ? busyPublishers(result) : []),
  ];
  const holds = why.length > 0 ? 'open' : isShown ? 'no' : 'yes';
  return { holds, signs, why };
}

/** Returns the publish loops that were always busy. They read answers late, and then send late. */
function busyPublishers({ shards }: RunResult): string[] {
  return shards.flatMap(({ result }) => {
    const all = result?.rig.workers ?? [];
    const busy = all.filter(({ role, utilization }) => role === 'publisher' && utilization > busyAbove);
    const loop = `publisher-busy: the publish loop of shard ${result?.slice.index} was busy`;
    return busy.map(({ utilization }) => `${loop} ${percent(utilization)} of the time`);
  });
}
