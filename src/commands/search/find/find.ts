import { type ExitName, worstExit } from '../../../contract/exit-codes.js';
import { type ProblemCode, ProblemError } from '../../../contract/problems.js';
import { type Stop, stopInWords, stopReasons } from '../../../contract/stop-reasons.js';
import { thisTool } from '../../../contract/version.js';
import { type Jam, jamSigns, jamsOf, restOf } from '../../../measure/stats/jam.js';
import { isKept, isUndecided } from '../../../measure/threshold.js';
import { leastUs } from '../../../measure/verdict/brackets.js';
import { milliseconds } from '../../../render/words/values.js';
import { resultVersion } from '../../../results/result.js';
import { ResultStore, resultDirectory } from '../../../results/store.js';
import type { RunOutcome } from '../../../run/conclude.js';
import type { Plan } from '../../../run/plan/plan.js';
import { type RunContext, run } from '../../../run/run.js';
import { duration } from '../../../units/unit.js';
import { exitOfProblems, factsOf, judgeRun, searchEndings, stopForSearch } from '../judge.js';
import { byRate, edgesOf, searchRates, type Tried } from '../rates.js';
import { type FindingPoint, type FindResult, findAnswer, findingFile } from './answer.js';
import { type FigureThreshold, type FindPlan, tryAt } from './plan.js';

/** Names the problems of a load that is too large for the rig. */
const ofSize: readonly ProblemCode[] = ['overLimit', 'descriptorLimit', 'trackingLimit', 'memoryLimit', 'portLimit'];

interface FindContext extends RunContext {
  tried(point: FindingPoint): void;
}

/** Finds the rate at which a figure breaks its threshold. Each step is a kept run. */
export async function find(
  findPlan: FindPlan,
  context: FindContext,
): Promise<{ finding: FindResult; directory: string; exit: ExitName }> {
  const { plan, limit, durationMs } = findPlan;
  const startedAt = new Date().toISOString();
  const directory = resultDirectory(plan.fleet.resultsDir, startedAt, plan.scenario.name, plan.target.name, 'find');
  const search = new Search(findPlan, directory, context);
  const isOver = await searchRates(
    search.shape,
    () => search.tried(),
    (rate) => search.attempt(rate),
  );
  const { points, endedBecause } = search;
  const said = findAnswer(points, search.tried(), search.shape, isOver ? '' : endedBecause);
  const finding: FindResult = {
    schema: resultVersion,
    tool: thisTool,
    scenario: plan.scenario.name,
    target: plan.target.name,
    metric: limit.metric,
    percentile: limit.figure,
    unit: 'us',
    limit: limit.bound,
    repeat: search.shape.repeat,
    durationMs,
    ...said,
    interval: edgesOf(search.tried()).interval,
    endedBecause,
    points,
  };
  await new ResultStore(context.notKept).keep(directory, { [findingFile]: finding });
  const undecided: ExitName[] = said.answer === 'undecided' ? ['rig'] : [];
  return { finding, directory, exit: worstExit([...search.exits, ...undecided]) };
}

/** Holds the runs of a search so far, and the reason if it ended early. */
class Search {
  readonly #findPlan: FindPlan;
  readonly #directory: string;
  readonly #context: FindContext;
  readonly #fromMs = performance.now();
  readonly shape: FindPlan['shape'];
  readonly points: FindingPoint[] = [];
  readonly exits: ExitName[] = [];
  endedBecause = '';

  constructor(findPlan: FindPlan, directory: string, context: FindContext) {
    this.#findPlan = findPlan;
    this.#directory = directory;
    this.#context = context;
    this.shape = { ...findPlan.shape };
  }

  tried(): Tried[] {
    return byRate(this.points.filter(({ stop }) => !searchEndings.includes(stop)));
  }

  async attempt(rate: number): Promise<'go on' | 'end'> {
    const { interrupt } = this.#context;
    if (interrupt.aborted) return this.#end('interrupted');
    const { mostMs } = this.#findPlan;
    if (performance.now() - this.#fromMs > mostMs) {
      this.endedBecause = `the ${duration.print(Math.round(mostMs / 1000) * 1000)} of the search are over`;
      return 'end';
    }
    const options = tryAt(this.#findPlan, rate);
    const outcome = await this.#run(options.options).catch((error: unknown) => {
      if (error instanceof ProblemError && this.points.length > 0) return error;
      throw error;
    });
    if (outcome instanceof ProblemError) return this.#refused(outcome, rate);
    const { limit, plan } = this.#findPlan;
    const { result } = outcome;
    const isFirst = this.points.length === 0;
    const stop = stopForSearch(result, !isFirst);
    const judged = judgeTry(outcome, plan, limit);
    const facts = { ratePerSecond: rate, durationMs: options.durationMs, rig: result.verdict.rig, stop: stop.code };
    const point = { ...facts, ...judged, directory: outcome.directory };
    this.points.push(point);
    this.#context.tried(point);
    if (searchEndings.includes(stop.code)) return this.#end(stop.code, stop.evidence);
    if (!isFirst || (result.metrics[limit.metric]?.count ?? 0) > 0) return 'go on';
    // A lower rate would give it no samples either.
    this.endedBecause = `no ${limit.metric} was measured at ${rate}/s: ${stopInWords(result.stop)}`;
    return 'end';
  }

  async #run(options: Record<string, unknown>): Promise<RunOutcome> {
    const { plan } = this.#findPlan;
    return run({ ...plan, options, fleet: { ...plan.fleet, resultsDir: this.#directory } }, this.#context);
  }

  /**
   * Handles a rate that is refused. If the rig can't make it and it is above all others, the highest tried rate becomes
   * the upper end of the scale. Any other refusal ends the search.
   */
  #refused(error: ProblemError, rate: number): 'go on' | 'end' {
    this.endedBecause = error.message;
    const highest = Math.max(...this.points.map(({ ratePerSecond }) => ratePerSecond));
    const isBeyond = rate > highest && error.problems.every(({ code }) => ofSize.includes(code));
    if (isBeyond && highest < this.shape.maxRate) {
      this.shape.maxRate = highest;
      return 'go on';
    }
    this.exits.push(exitOfProblems(error));
    return 'end';
  }

  #end(code: Stop['code'], evidence: readonly string[] = []): 'end' {
    this.endedBecause = stopInWords({ code, evidence: [...evidence] });
    this.exits.push(stopReasons[code].exit);
    return 'end';
  }
}

const growthSigns = jamSigns.filter(({ isGrowth }) => isGrowth);

/** Judges a run. It is good if the figure kept the limit, and latency and backlog no longer grew at its end. */
export function judgeTry(
  { result, series }: Pick<RunOutcome, 'result' | 'series'>,
  { scenario, fleet }: Pick<Plan, 'scenario' | 'fleet'>,
  limit: FigureThreshold,
): Pick<FindingPoint, 'figure' | 'leastUs' | 'holds' | 'signs' | 'doubts'> {
  const { metrics, verdict, stop, job } = result;
  const figure = metrics[limit.metric]?.[limit.figure] ?? null;
  const least = leastUs({ metrics, declared: scenario.metrics }, verdict.doubts ?? [], limit.metric, limit.figure);
  const facts = factsOf(result, series, scenario);
  // Latency grows with the number of clients while clients keep coming.
  const isGrowing = (scenario.arriving?.(job.options) ?? 0) > 0;
  const growth = jamsOf(facts, restOf(facts), isGrowing ? [] : growthSigns);
  const ended: Jam[] = stopReasons[stop.code].isComplete ? [] : [{ sign: 'ended', text: stopReasons[stop.code].title }];
  const broken: Jam[] = isKept(limit, figure) ? [] : [{ sign: 'limit', text: whyBroken(figure) }];
  const isOpen = figure !== null && least !== null && isUndecided(limit, least, figure);
  const shown = {
    signs: [...broken, ...growth.signs, ...ended],
    isSure: (broken.length > 0 && !isOpen) || growth.isSure || ended.length > 0,
    readFrom: [limit.metric, 'delivery', 'deliveryFromIntended', 'drain'],
  };
  return { figure, leastUs: least, ...judgeRun(result, facts, shown, fleet.isStrict) };
}

function whyBroken(figure: number | null): string {
  return figure === null ? 'too few samples for that percentile' : `${milliseconds(figure)} ms`;
}
