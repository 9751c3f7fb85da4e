import { type ExitName, worstExit } from '../../../contract/exit-codes.js';
import { stopInWords, stopReasons } from '../../../contract/stop-reasons.js';
import { askedOf, openJournal, resumeNote, withSeed } from '../../../experiment/journal.js';
import { type Jam, jamSigns, jamsOf, restOf } from '../../../measure/stats/jam.js';
import { isKept, isUndecided, parseThreshold } from '../../../measure/threshold.js';
import { leastUs } from '../../../measure/verdict/facts.js';
import { statementWords } from '../../../render/words/statement.js';
import { isSize, milliseconds, seriesInWords } from '../../../render/words/values.js';
import { seriesIn } from '../../../results/over-time/readings.js';
import type { FindingPoint, FindResult } from '../../../results/search.js';
import type { Plan } from '../../../run/plan/plan.js';
import { lackingSamples } from '../../../run/plan/thresholds.js';
import type { RunOutcome } from '../../../run/run.js';
import { scenarios } from '../../../scenarios/list.js';
import type { Scenario } from '../../../scenarios/scenario.js';
import { duration } from '../../../units/unit.js';
import type { ScenarioCommand } from '../../command.js';
import { factsOf, judgeRun } from '../judge.js';
import { edgesOf } from '../rates.js';
import { keepingFound, Search, type SearchContext } from '../search.js';
import { type FigureThreshold, type FindPlan, findSchema, planFind, tryAt } from './plan.js';
import { findAnswer, findDocument, rateInWords, whyOf } from './print.js';

/** `ringside find SCENARIO --limit …`: finds the rate at which a figure breaks its threshold. */
export const command: ScenarioCommand = {
  // A search needs a scenario whose load is a rate.
  scenarios: scenarios.filter(({ options }) => 'ratePerSecond' in options.shape),
  schemaOf: findSchema,
  exampleFlags: (scenario) => ` --limit '${exampleLimit(scenario)}'`,
  async run(session, scenario, read) {
    const findPlan = planFind(scenario, read);
    const { plan, shape } = findPlan;
    return session.measure({
      label: `find ${scenario.name} ${plan.target.name}`,
      fleet: plan.fleet,
      targets: [plan.target],
      work: async (context) => {
        const most = duration.print(Math.ceil(shape.mostMs / 60_000) * 60_000);
        context.note(`at most ${shape.runsAtMost} runs and ${most}; most searches take a third of them`);
        const { finding, directory, exit } = await find(findPlan, {
          ...context,
          begins: () => undefined,
          tried: (_label, point) => context.note(inOneLine(point)),
        });
        const document = findDocument(finding);
        return { data: finding, document, directory, ...resumeNote(directory, exit), exit };
      },
    });
  },
};

function inOneLine(point: FindingPoint): string {
  const why = whyOf(point);
  const state = statementWords.meets[point.holds];
  const said = `${rateInWords(point.ratePerSecond)}: ${state}, ${milliseconds(point.figure)} ms`;
  return why === '' ? said : `${said}; ${why}`;
}

/** Returns a limit for the first metric, on the highest percentile that a run with all defaults carries. */
function exampleLimit(scenario: Scenario): string {
  const [metric] = Object.keys(scenario.metrics);
  const defaults = scenario.options.parse({});
  const limits = ['p99', 'p95', 'p50'].map((figure) => `${metric}.${figure}<50ms`);
  const isCarried = (text: string): boolean => {
    const limit = parseThreshold(text, { metrics: Object.keys(scenario.metrics), counts: [], shares: [] });
    return limit !== undefined && lackingSamples(limit, scenario, defaults) === undefined;
  };
  return limits.find(isCarried) ?? `${metric}.max<50ms`;
}

async function find(
  findPlan: FindPlan,
  context: SearchContext<FindingPoint>,
): Promise<{ finding: FindResult; directory: string; exit: ExitName }> {
  const { limit, until, durationMs, shape, resume } = findPlan;
  const { scenario, target, fleet } = findPlan.plan;
  const label = target.name;
  const { repeat } = shape;
  const journal = await openJournal(
    {
      ...{ resume, resultsDir: fleet.resultsDir, name: [scenario.name, label, 'find'], seed: fleet.seed },
      asked: askedOf([{ label, plan: findPlan.plan }], { limit: limit.text, until: until?.text, repeat, durationMs }),
    },
    context.notKept,
  );
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
      passed: ({ environment }, rate) => {
        const value = until ? (seriesIn(environment)[until.metric]?.[until.figure] ?? null) : null;
        if (until === undefined || value === null || !isKept(until, value)) return undefined;
        return `${until.text} came true at ${rate}/s: ${seriesInWords(value, isSize(until.text))}`;
      },
    },
    context,
  );
  const keep = (fault?: string): Promise<FindResult> => {
    const { points, tried, isOver } = search;
    const endedBecause = fault ?? search.endedBecause;
    return journal.keep({
      kind: 'finding',
      scenario: scenario.name,
      target: label,
      ...{ metric: limit.metric, percentile: limit.figure, unit: 'us', limit: limit.bound, repeat, durationMs },
      ...(search.hasPassed
        ? { answer: 'limitPassed' as const, why: [] }
        : findAnswer(points, tried, search.shape, isOver ? '' : endedBecause)),
      interval: edgesOf(tried).interval,
      endedBecause,
      points,
    });
  };
  const hasFound = () => search.points.length > 0;
  const finding = await keepingFound({ journal, hasFound, tell: context.tell }, () => search.run(journal), keep);
  const exit = worstExit([search.exit, finding.answer === 'undecided' ? 'rig' : 'clean']);
  return { finding, directory: journal.directory, exit };
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
  const said = figure === null ? 'too few samples for that percentile' : `${milliseconds(figure)} ms`;
  const broken: Jam[] = isKept(limit, figure) ? [] : [{ sign: 'limit', text: said }];
  const isOpen = figure !== null && least !== null && isUndecided(limit, least, figure);
  const shown = {
    signs: [...broken, ...growth.signs, ...ended],
    isSure: (broken.length > 0 && !isOpen) || growth.isSure || ended.length > 0,
    readFrom: [limit.metric, 'delivery', 'deliveryFromIntended', 'drain'],
  };
  return { figure, leastUs: least, ...judgeRun(result, facts, shown, fleet.isStrict) };
}
