import { coresBusy } from '../../measure/verdict/machine-rules.js';
import { targetStarved } from '../../measure/verdict/target-rules.js';
import { type Doubt, headlineValue, isAbout, isDoubted, leastShare } from '../../results/figures.js';
import { targetCoreWaitMs, targetCpuMs } from '../../results/over-time/core-time.js';
import type { RunResult } from '../../results/result.js';
import type { HeadlineColumn, Scenario } from '../../run/catalog.js';

/** The part of a machine's core time that other programs must take to matter where no core is idle. */
const noticedFrom = 0.1;

type Run = Pick<RunResult, 'verdict' | 'shards' | 'environment'>;

/** Whether no core was idle in a run and programs other than the target and the rig made that so. */
export function isHeldUp({ verdict, shards, environment }: Run): boolean {
  if (!verdict.doubts?.some(({ rule }) => rule === coresBusy)) return false;
  const { stages } = environment;
  const loadMs = Math.max(0, ...stages.map(({ toMs }) => toMs)) - environment.loadAtMs;
  const targetCores = loadMs > 0 ? (targetCpuMs(environment) ?? 0) / loadMs : 0;
  const all = shards.flatMap(({ result }) => result ?? []);
  return all.some(({ clockId, rig: { shard } }) => {
    const rigCores = all.filter((each) => each.clockId === clockId).reduce((sum, { rig }) => sum + coresOf(rig), 0);
    const busyCores = shard.coreBusy.reduce((sum, busy) => sum + busy, 0);
    return busyCores - rigCores - targetCores > noticedFrom * shard.coreBusy.length;
  });
}

type Rig = NonNullable<RunResult['shards'][number]['result']>['rig'];

function coresOf({ shard, workers }: Rig): number {
  const windowMs = Math.max(0, ...workers.map((worker) => worker.windowMs));
  return windowMs > 0 ? shard.cpuMs / windowMs : 0;
}

/** The most that other programs can have added to one latency of a run's target, in microseconds. */
export function addedByOthersUs(run: Run): number {
  if (!isHeldUp(run)) return 0;
  const waitedMs = targetCoreWaitMs(run.environment);
  return waitedMs === null ? Number.POSITIVE_INFINITY : waitedMs * 1000;
}

/** One side of a diff, and the other that it is compared with. */
export interface Sides {
  name: 'baseline' | 'candidate';
  own: readonly RunResult[];
  other: readonly RunResult[];
}

/** Whether the rig or other programs may have raised a figure of a side, and the least share of it that is left. */
export function boundOf(
  column: HeadlineColumn,
  sides: Sides,
  scenario: Scenario,
): { isDoubted: boolean; leastShare: number } {
  const byOthers = isHeldUpMore(column, sides, scenario) ? shareWithoutOthers(column, sides.own) : 1;
  const share = Math.min(byOthers, leastShare(column, sides.own, scenario));
  return { isDoubted: byOthers < 1 || isDoubted(column, sides.own), leastShare: share };
}

/** Why a figure of a side may be raised, a text for each reason. */
export function reasonsOf(column: HeadlineColumn, sides: Sides, scenario: Scenario): string[] {
  const { name, own } = sides;
  if (isHeldUpMore(column, sides, scenario)) {
    const doubts = valid(own).flatMap(({ verdict }) => verdict.doubts ?? []);
    const [busy] = doubts.filter(({ rule }) => rule === coresBusy);
    return [`other programs held the cores of the ${name}: ${busy?.text}`];
  }
  const marks = valid(own).flatMap((run) => marksAt(column, run));
  const byRule = new Map(marks.map(({ rule = '', text }) => [rule, rule === '' ? text : `${rule}: ${text}`]));
  return [...byRule.values()].map((text) => `${name}: ${text}`);
}

/** Whether others held the cores in more runs of one side, so that its target may have waited longer for a core. */
function isHeldUpMore(column: HeadlineColumn, { own, other }: Sides, { metrics }: Pick<Scenario, 'metrics'>): boolean {
  if (column.kind !== 'figure' || metrics[column.metric]?.of !== 'target') return false;
  const [here, there] = [own, other].map((runs) => valid(runs).filter(isHeldUp).length / valid(runs).length);
  return (here ?? 0) > (there ?? 0);
}

function shareWithoutOthers(column: HeadlineColumn, runs: readonly RunResult[]): number {
  const shares = valid(runs).flatMap((run) => {
    const us = headlineValue(column, run);
    // Such a mark knows which waits the figure has.
    const isKnown = marksAt(column, run).some(({ rule, leastUs }) => rule === targetStarved && leastUs > 0);
    return us === null || us === 0 || isKnown ? [] : [Math.max(0, us - addedByOthersUs(run)) / us];
  });
  return Math.min(1, ...shares);
}

function marksAt(column: HeadlineColumn, { verdict }: RunResult): Doubt[] {
  if (column.kind !== 'figure') return [];
  return (verdict.doubts ?? []).filter((each) => isAbout(each, column.metric, column.figure));
}

function valid(runs: readonly RunResult[]): RunResult[] {
  return runs.filter(({ verdict }) => verdict.rig !== 'void');
}
