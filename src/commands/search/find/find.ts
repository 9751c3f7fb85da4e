import { type ExitName, worstExit } from '../../../contract/exit-codes.js';
import { stopInWords, stopReasons } from '../../../contract/stop-reasons.js';
import { thisTool } from '../../../contract/version.js';
import { askedOf, openJournal, withSeed } from '../../../experiment/journal.js';
import { type Jam, jamSigns, jamsOf, restOf } from '../../../measure/stats/jam.js';
import { isKept, isUndecided } from '../../../measure/threshold.js';
import { leastUs } from '../../../measure/verdict/facts.js';
import { milliseconds } from '../../../render/words/values.js';
import { experimentFile } from '../../../results/journal.js';
import { resultVersion } from '../../../results/result.js';
import type { FindingPoint, FindResult } from '../../../results/search.js';
import { ResultStore, resultDirectory } from '../../../results/store.js';
import type { RunOutcome } from '../../../run/conclude.js';
import type { Plan } from '../../../run/plan/plan.js';
import { factsOf, judgeRun } from '../judge.js';
import { edgesOf } from '../rates.js';
import { keepingFound, Search, type SearchContext } from '../search.js';
import { findAnswer } from './answer.js';
import { type FigureThreshold, type FindPlan, tryAt } from './plan.js';

/** Finds the rate at which a figure breaks its threshold. Each step is a kept run. */
export async function find(
  findPlan: FindPlan,
  context: SearchContext<FindingPoint>,
): Promise<{ finding: FindResult; directory: string; exit: ExitName }> {
  const { limit, durationMs, shape, resume } = findPlan;
  const { scenario, target, fleet } = findPlan.plan;
  const startedAt = new Date().toISOString();
  const label = target.name;
  const asked = askedOf([{ label, plan: findPlan.plan }], { limit: limit.text, repeat: shape.repeat, durationMs });
  const store = new ResultStore(context.notKept);
  const journal = await openJournal(
    resume ?? resultDirectory(fleet.resultsDir, startedAt, scenario.name, label, 'find'),
    { seed: fleet.seed, startedAt, asked },
    resume,
    store,
  );
  const { directory } = journal;
  const [{ plan }] = withSeed([findPlan], journal.kept.seed) as [FindPlan];
  const sized = (rate: number) => tryAt({ plan, limit, durationMs }, rate);
  const search = new Search<FindingPoint>(
    {
      shape,
      cellAt: (rate) => ({ label: `${rate}/s`, plan: { ...plan, options: sized(rate).options } }),
      async judge({ result, series }, stated) {
        const judged = judgeTry({ result, series: await series() }, plan, limit);
        return { ...stated, ...judged, durationMs: sized(stated.ratePerSecond).durationMs };
      },
      // A lower rate would give it no samples either.
      fault: ({ metrics, stop }, rate) =>
        (metrics[limit.metric]?.count ?? 0) > 0
          ? undefined
          : `no ${limit.metric} was measured at ${rate}/s: ${stopInWords(stop)}`,
    },
    context,
  );
  const keep = async (fault?: string): Promise<FindResult> => {
    const { points, tried, isOver } = search;
    const endedBecause = fault ?? search.endedBecause;
    const finding: FindResult = {
      schema: resultVersion,
      tool: thisTool,
      startedAt: journal.kept.startedAt,
      kind: 'finding',
      scenario: scenario.name,
      target: label,
      metric: limit.metric,
      percentile: limit.figure,
      unit: 'us',
      limit: limit.bound,
      repeat: shape.repeat,
      durationMs,
      ...findAnswer(points, tried, search.shape, isOver ? '' : endedBecause),
      interval: edgesOf(tried).interval,
      endedBecause,
      points,
      journal: journal.kept,
    };
    await store.keep(directory, { [experimentFile]: finding });
    if (fault !== undefined) context.tell(directory);
    return finding;
  };
  const work = () => search.run({ directory, journal });
  const finding = await keepingFound(journal, work, () => search.points.length > 0, keep);
  const exit = worstExit([search.exit, finding.answer === 'undecided' ? 'rig' : 'clean']);
  return { finding, directory, exit };
}

const growthSigns = jamSigns.filter(({ isGrowth }) => isGrowth);

/** Judges a run. It is good if the figure kept the limit, and latency and backlog no longer grew at its end. */
export function judgeTry(
  { result, series }: Pick<RunOutcome, 'result' | 'series'>,
  { scenario, fleet }: Pick<Plan, 'scenario' | 'fleet'>,
  limit: FigureThreshold,
): Pick<FindingPoint, 'figure' | 'leastUs' | 'holds' | 'signs' | 'why'> {
  const { metrics, verdict, stop, job } = result;
  const figure = metrics[limit.metric]?.[limit.figure] ?? null;
  const least = leastUs({ metrics, declared: scenario.metrics }, verdict.bounds ?? [], limit.metric, limit.figure);
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
