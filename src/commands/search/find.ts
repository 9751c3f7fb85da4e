import { ProblemError } from '../../contract/problems.js';
import { stopInWords, stopReasons } from '../../contract/stop-reasons.js';
import { thisTool } from '../../contract/version.js';
import { isKept, type Threshold } from '../../measure/threshold.js';
import { type RunResult, resultVersion } from '../../results/result.js';
import { ResultStore, resultDirectory } from '../../results/store.js';
import type { Plan } from '../../run/plan/plan.js';
import { type RunContext, run } from '../../run/run.js';
import { type Finding, type FindingPoint, findingFile } from './finding.js';

/** Rates this close together are told apart no further. */
const closeEnough = 1.1;
const runsAtMost = 16;

/** The next rate to try: double while nothing broke, half while nothing kept, then the geometric middle; undefined when the gap is closed. */
export function nextRate(
  start: number,
  points: readonly Pick<FindingPoint, 'ratePerSecond' | 'isKept'>[],
): number | undefined {
  if (points.length === 0) return start;
  if (points.length >= runsAtMost) return undefined;
  const { highestKept, lowestBroken } = bounds(points);
  if (lowestBroken === null) return (highestKept ?? start) * 2;
  if (highestKept === null) return lowestBroken / 2;
  return lowestBroken / highestKept < closeEnough ? undefined : Math.sqrt(highestKept * lowestBroken);
}

/** The highest rate that kept the limit below every rate that broke it, and the lowest that broke it. */
export function bounds(points: readonly Pick<FindingPoint, 'ratePerSecond' | 'isKept'>[]): {
  highestKept: number | null;
  lowestBroken: number | null;
} {
  const broken = points.filter((point) => !point.isKept).map((point) => point.ratePerSecond);
  const lowestBroken = broken.length > 0 ? Math.min(...broken) : null;
  const kept = points
    .filter((point) => point.isKept && (lowestBroken === null || point.ratePerSecond < lowestBroken))
    .map((point) => point.ratePerSecond);
  return { highestKept: kept.length > 0 ? Math.max(...kept) : null, lowestBroken };
}

/** A bound on a figure of a distribution. */
export type FigureThreshold = Extract<Threshold, { kind: 'figure' }>;

/** Searches the rate at which a figure passes its limit, one kept run a step. */
export async function find(
  plan: Plan,
  limit: FigureThreshold,
  context: RunContext & { tried(point: FindingPoint): void },
): Promise<{ finding: Finding; directory: string }> {
  const startedAt = new Date().toISOString();
  const directory = resultDirectory(plan.fleet.resultsDir, startedAt, plan.scenario.name, plan.target.name, 'find');
  const points: FindingPoint[] = [];
  let endedBecause = '';
  const start = plan.options.ratePerSecond as number;
  for (let rate = nextRate(start, points); rate !== undefined; rate = nextRate(start, points)) {
    if (context.interrupt.aborted) break;
    if (!takesRate(plan.scenario, rate)) {
      endedBecause = `${rate}/s is no rate that the scenario takes`;
      break;
    }
    const step = {
      ...plan,
      options: { ...plan.options, ratePerSecond: rate },
      fleet: { ...plan.fleet, resultsDir: directory },
    };
    const outcome = await run(step, context).catch((error: unknown) => {
      if (error instanceof ProblemError && points.length > 0) return error;
      throw error;
    });
    if (outcome instanceof ProblemError) {
      endedBecause = outcome.message;
      break;
    }
    const point = pointOf(outcome.result, rate, limit, outcome.directory);
    points.push(point);
    context.tried(point);
    if (saysNothing(point)) {
      endedBecause = stopInWords(outcome.result.stop);
      break;
    }
  }
  const finding: Finding = {
    schema: resultVersion,
    tool: thisTool,
    scenario: plan.scenario.name,
    target: plan.target.name,
    metric: limit.metric,
    percentile: limit.figure,
    unit: 'us',
    limit: limit.bound,
    ...bounds(points.filter((point) => !saysNothing(point))),
    endedBecause,
    points,
  };
  await new ResultStore(context.notKept).keep(directory, { [findingFile]: finding });
  return { finding, directory };
}

/** Whether nobody was there to keep the limit or break it: no other rate would find anybody. */
export function saysNothing({ stop }: Pick<FindingPoint, 'stop'>): boolean {
  return stop === 'targetUnreachable';
}

/** Whether the scenario takes that rate: a limit that nothing breaks would take the search beyond any. */
export function takesRate(scenario: Plan['scenario'], ratePerSecond: number): boolean {
  return scenario.options.shape.ratePerSecond?.safeParse(ratePerSecond).success === true;
}

function pointOf(result: RunResult, ratePerSecond: number, limit: FigureThreshold, directory: string): FindingPoint {
  const figure = result.metrics[limit.metric]?.[limit.figure] ?? null;
  const { isComplete, title } = stopReasons[result.stop.code];
  const why = !isComplete ? title : figure === null ? 'too few samples for that percentile' : '';
  return {
    ratePerSecond,
    figure,
    isKept: why === '' && isKept(limit, figure) && result.verdict.rig !== 'void',
    why,
    rig: result.verdict.rig,
    stop: result.stop.code,
    directory,
  };
}
