import { stopReasons } from '../../../contract/stop-reasons.js';
import { type Jam, jamSigns, jamsOf, restOf } from '../../../measure/stats/jam.js';
import { isKept, isUndecided } from '../../../measure/threshold.js';
import { leastUs } from '../../../measure/verdict/brackets.js';
import { milliseconds } from '../../../render/words/figures.js';
import type { Plan } from '../../../run/plan/plan.js';
import type { RunOutcome } from '../../../run/run.js';
import { factsOf, judgeRun } from '../judge.js';
import type { FigureThreshold } from './plan.js';
import type { FindingPoint } from './schema.js';

const growthSigns = jamSigns.filter(({ isGrowth }) => isGrowth);

/** The holds of a run: it is good if the figure kept the limit, and latency and backlog no longer grew at its end. */
export function judgeTry(
  { result, series }: Pick<RunOutcome, 'result' | 'series'>,
  { scenario, fleet }: Pick<Plan, 'scenario' | 'fleet'>,
  limit: FigureThreshold,
): Pick<FindingPoint, 'figure' | 'leastUs' | 'holds' | 'signs' | 'doubts'> {
  const { metrics, verdict, stop, job } = result;
  const figure = metrics[limit.metric]?.[limit.figure] ?? null;
  const least = leastUs({ metrics, declared: scenario.metrics }, verdict.doubts ?? [], limit.metric, limit.figure);
  const facts = factsOf(result, series, scenario);
  // Where clients keep coming, latency grows with their number.
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
