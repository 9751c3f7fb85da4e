import type { ExitName } from '../../../contract/exit-codes.js';
import { ProblemError } from '../../../contract/problems.js';
import { stopInWords, stopReasons } from '../../../contract/stop-reasons.js';
import { thisTool } from '../../../contract/version.js';
import { isKept, isUndecided, type Threshold } from '../../../measure/threshold.js';
import { leastUs } from '../../../measure/verdict/brackets.js';
import { type RunResult, resultVersion } from '../../../results/result.js';
import { ResultStore, resultDirectory } from '../../../results/store.js';
import type { Plan } from '../../../run/plan/plan.js';
import { type RunContext, run } from '../../../run/run.js';
import { edgesOf, searchRates, type Tried } from '../rates.js';
import { type Finding, type FindingPoint, findingFile } from './schema.js';

/** How closely a rate is found, and after how many runs the search gives up. */
export const searchShape = { minRate: 0, maxRate: Number.POSITIVE_INFINITY, precision: 0.1, repeat: 1, runsAtMost: 16 };

/** A threshold on a figure of a distribution. */
export type FigureThreshold = Extract<Threshold, { kind: 'figure' }>;

/** Searches the rate at which a figure breaks its threshold; each step is a kept run. */
export async function find(
  plan: Plan,
  limit: FigureThreshold,
  context: RunContext & { tried(point: FindingPoint): void },
): Promise<{ finding: Finding; directory: string; exit: ExitName }> {
  const startedAt = new Date().toISOString();
  const directory = resultDirectory(plan.fleet.resultsDir, startedAt, plan.scenario.name, plan.target.name, 'find');
  const points: FindingPoint[] = [];
  let endedBecause = '';
  /** Whether the last point decides nothing: no lower rate would give it samples. */
  let isEmpty = false;
  const decisive = (): FindingPoint[] => (isEmpty ? points.slice(0, -1) : points);
  const attempt = async (rate: number): Promise<string> => {
    if (context.interrupt.aborted) return stopReasons.interrupted.title;
    if (!takesRate(plan.scenario, rate)) return `${plan.scenario.name} does not take a rate of ${rate}/s`;
    const options = { ...plan.options, ratePerSecond: rate };
    const step = { ...plan, options, fleet: { ...plan.fleet, resultsDir: directory } };
    const outcome = await run(step, context).catch((error: unknown) => {
      if (error instanceof ProblemError && points.length > 0) return error;
      throw error;
    });
    if (outcome instanceof ProblemError) return outcome.message;
    const { result } = outcome;
    const point = pointOf(result, plan.scenario, rate, limit, outcome.directory);
    const isFirst = points.length === 0;
    points.push(point);
    context.tried(point);
    isEmpty = point.stop === 'targetUnreachable' || (isFirst && (result.metrics[limit.metric]?.count ?? 0) === 0);
    if (!isEmpty) return '';
    const why = stopInWords(result.stop);
    return point.stop === 'targetUnreachable' ? why : `no ${limit.metric} was measured at ${rate}/s: ${why}`;
  };
  const shape = { ...searchShape, startRate: plan.options.ratePerSecond as number };
  await searchRates(
    shape,
    () => triedIn(points),
    async (rate) => {
      endedBecause = await attempt(rate);
      return endedBecause === '' ? 'go on' : 'end';
    },
  );
  const { keptUpTo, failedFrom } = edgesOf(triedIn(decisive()));
  const finding: Finding = {
    schema: resultVersion,
    tool: thisTool,
    scenario: plan.scenario.name,
    target: plan.target.name,
    metric: limit.metric,
    percentile: limit.figure,
    unit: 'us',
    limit: limit.bound,
    highestKept: keptUpTo,
    lowestBroken: failedFrom,
    endedBecause,
    points,
  };
  await new ResultStore(context.notKept).keep(directory, { [findingFile]: finding });
  const atEdge = points.filter(({ ratePerSecond }) => [keptUpTo, failedFrom].includes(ratePerSecond));
  const { isStrict } = plan.fleet;
  const isOpen = ({ rig, undecidedFromUs, isDoubted }: FindingPoint): boolean =>
    rig !== 'clean' || undecidedFromUs !== undefined || (isStrict && isDoubted === true);
  const isDoubtful = isEmpty || atEdge.some(isOpen);
  return { finding, directory, exit: context.interrupt.aborted ? 'interrupted' : isDoubtful ? 'rig' : 'clean' };
}

function triedIn(points: readonly FindingPoint[]): Tried[] {
  return points.map(({ ratePerSecond, isKept }) => ({ ratePerSecond, votes: [isKept ? 'good' : 'jammed'] }));
}

/** Whether the scenario takes that rate; a threshold that nothing breaks would drive it beyond any. */
export function takesRate(scenario: Plan['scenario'], ratePerSecond: number): boolean {
  return scenario.options.shape.ratePerSecond?.safeParse(ratePerSecond).success === true;
}

function pointOf(
  result: RunResult,
  { metrics: declared }: Plan['scenario'],
  ratePerSecond: number,
  limit: FigureThreshold,
  directory: string,
): FindingPoint {
  const { metrics, verdict } = result;
  const figure = metrics[limit.metric]?.[limit.figure] ?? null;
  const least = leastUs({ metrics, declared }, verdict.doubts ?? [], limit.metric, limit.figure);
  const isOpen = figure !== null && least !== null && isUndecided(limit, least, figure);
  const { isComplete, title } = stopReasons[result.stop.code];
  const why = !isComplete ? title : figure === null ? 'too few samples for that percentile' : '';
  return {
    ratePerSecond,
    figure,
    ...(isOpen && { undecidedFromUs: least }),
    ...(verdict.doubts !== undefined && { isDoubted: true }),
    isKept: why === '' && isKept(limit, figure) && verdict.rig !== 'void',
    why,
    rig: verdict.rig,
    stop: result.stop.code,
    directory,
  };
}
