import { type ExitName, worstExit, worstOfRuns } from '../contract/exit-codes.js';
import { problemError } from '../contract/problems.js';
import { stopReasons } from '../contract/stop-reasons.js';
import { thisTool } from '../contract/version.js';
import { countIn } from '../measure/ledger.js';
import { type OneSidedRatio, ratioOfStarts, type Timed } from '../measure/paired/compare-starts.js';
import { isByCrowd } from '../measure/paired/neighbours.js';
import { slotOrder } from '../measure/paired/slots.js';
import { agreed, type Holds, pairOf } from '../measure/statement.js';
import { decideRatio, decideTotals, type RatioThreshold } from '../measure/threshold.js';
import type { Comparison, ComparisonRow, JudgedRatio, KeptRun } from '../results/comparison.js';
import { figureName, subjectsOf } from '../results/figures.js';
import { experimentFile } from '../results/journal.js';
import { fingerprint, firstDifference } from '../results/likeness.js';
import type { Paired } from '../results/paired.js';
import { resultVersion } from '../results/result.js';
import { ResultStore } from '../results/store.js';
import { isSure, runExit, thresholdsExit } from '../run/judge/assess.js';
import type { Axis } from '../run/plan/axis.js';
import { shapeOf } from '../run/plan/plan.js';
import type { PairedOptions } from '../run/plan/run-options.js';
import type { RunContext } from '../run/run.js';
import type { Scenario, Slots } from '../scenarios/scenario.js';
import { type Cell, type ExperimentContext, rowsOfCells, runCells, runInOrder } from './cells.js';
import { askedOf, type ExperimentPlace, openJournal, withSeed } from './journal.js';
import { PairedSeries } from './paired/series.js';
import { sidesOf } from './paired/starts.js';
import { significance } from './significance.js';

/** Designs: whole runs of each cell in rounds, or all cells at once, with a slot of each in every round. */
export type Design = { repeat: number } | { slots: Slots; paired: Omit<PairedOptions, 'design'> };

interface Asked extends ExperimentPlace {
  ratios?: readonly RatioThreshold[];
  axis?: Axis | undefined;
}

/** Runs the cells by a design and compares them. The order within rounds is seeded and balanced. */
export async function compare(
  asked: readonly Cell[],
  design: Design,
  context: ExperimentContext,
  { ratios = [], axis, ...place }: Asked = {},
): Promise<{ comparison: Comparison; directory: string }> {
  const [first] = asked;
  if (!first) throw new Error('a comparison needs a plan');
  const { scenario, fleet } = first.plan;
  const isPaired = 'slots' in design;
  const hasRatios = ratios.length > 0;
  const more = isPaired ? { ...design.paired, hasRatios } : { 'runs of each': design.repeat };
  const id = isPaired ? 'paired' : `${asked.length}x${design.repeat}`;
  const journal = await openJournal(
    {
      ...{ ...place, resultsDir: fleet.resultsDir, name: [scenario.name, 'compare', id] },
      ...{ seed: fleet.seed, asked: askedOf(asked, more) },
    },
    context.notKept,
  );
  const { directory } = journal;
  const { seed, startedAt } = journal.kept;
  const cells = withSeed(asked, seed);
  const rows = await rowsOfCells(cells);
  const shape = shapeOf(first.plan);
  let found: Comparison;
  if (isPaired) {
    const series = new PairedSeries(design.slots, sidesOf(cells, rows), {
      ...design.paired,
      hasRatios,
      ...(axis && { leastTargets: 2 }),
    });
    await runInOrder(series.order(), journal, context);
    const paired = await series.conclude(directory, context);
    const repeat = Math.max(1, ...rows.map(({ runs }) => runs.length));
    const facts = { fingerprint: fingerprint({ ...shape, design: 'paired' }), forced: '', repeat, startedAt };
    found = { ...comparisonOf(scenario, [], true, facts), rows, ...(paired && { paired }) };
  } else {
    const { repeat } = design;
    await runCells(rows, cells, journal, { order: slotOrder(seed, cells.length, repeat) }, context);
    found = comparisonOf(scenario, rows, true, { fingerprint: fingerprint(shape), forced: '', repeat, startedAt });
  }
  const comparison = withRatios({ ...found, ...(axis && { axis }), journal: journal.kept }, ratios, scenario);
  await keepComparison(directory, comparison, context);
  return { comparison, directory };
}

type Ended = Pick<Comparison, 'rows'> & Partial<Pick<Comparison, 'paired' | 'proof' | 'ratioThresholds'>>;

/** Returns the exit of a comparison by its runs, rows, ratios and proof: `input` without any run. */
export function comparisonExit(ended: Ended, scenario: Scenario, isStrict: boolean): ExitName {
  const { rows, paired, proof } = ended;
  if (paired) return pairedExit({ ...ended, paired }, isStrict);
  const ends = rows.flatMap(({ state, runs }): ExitName[] => [
    ...runs.map(({ result }) => runExit(result, scenario, isStrict)),
    ...(state === 'failed' ? (['input'] as const) : []),
  ]);
  const hasMoved = proof?.against.some(({ isBeyondNoise }) => isBeyondNoise);
  const worst = ends.length === 0 ? 'input' : worstOfRuns(ends);
  return worstOfRuns([worstExit([worst, hasMoved ? 'rig' : 'clean']), ratioExit(ended)]);
}

/** A paired comparison is clean if it decides something about every target; with `isStrict`, only without a mark. */
function pairedExit({ paired, rows, ratioThresholds }: Ended & { paired: Paired }, isStrict: boolean): ExitName {
  if (paired.ended === 'interrupted') return 'interrupted';
  const results = rows.flatMap(({ runs }) => runs.map(({ result }) => result));
  const isOpen = isStrict && results.some(({ verdict }) => !isSure(verdict, isStrict));
  // One target alone has nothing to name.
  const isAnswered =
    rows.length < 2 || (paired.withheld.length === 0 && paired.pairs.some(({ holds }) => holds !== 'open'));
  return worstOfRuns([
    ...rows.flatMap(failedExit),
    ...results.map(({ thresholds }) => thresholdsExit(thresholds)),
    ...results.map(({ stop: { code } }) => (code === 'publishesShort' ? stopReasons[code].exit : 'clean')),
    ...(isOpen || !(isAnswered || ratioThresholds) ? (['rig'] as const) : []),
    ratioExit({ ratioThresholds }),
  ]);
}

/** A target that left the comparison ends it by its last run, or as `input` if it was refused. */
function failedExit({ state, runs }: ComparisonRow): ExitName[] {
  if (state !== 'failed') return [];
  const last = runs.at(-1)?.result.stop.code;
  return [last === undefined || stopReasons[last].isComplete ? 'input' : stopReasons[last].exit];
}

/** Writes the comparison beside its runs. */
export async function keepComparison(
  directory: string,
  comparison: Comparison,
  { notKept }: Pick<RunContext, 'notKept'>,
): Promise<void> {
  await new ResultStore(notKept).keep(directory, { [experimentFile]: comparison });
}

/** Returns the first difference in shape, or an empty text. Throws `ProblemError` for one that is not forced. */
export function forcedDifference([first, ...others]: readonly KeptRun[], isForced: boolean): string {
  for (const { directory, result } of others) {
    const found = firstDifference(first?.result.shape, result.shape);
    if (found === undefined) continue;
    const difference = `${found} (${first?.directory} and ${directory})`;
    if (isForced) return difference;
    throw problemError('shapesDiffer', difference);
  }
  return '';
}

/** Returns one scoreboard of kept runs, a row per target. `forced` says how their shapes differ, if they do. */
export function assemble(scenario: Scenario, runs: readonly KeptRun[], forced: string): Comparison {
  const names = [...new Set(runs.map(({ result }) => result.target.name))];
  const rows = names.map((target): ComparisonRow => {
    const own = runs.filter(({ result }) => result.target.name === target);
    return { target, state: 'ran', why: '', runs: own, figures: [] };
  });
  return comparisonOf(scenario, rows, false, {
    fingerprint: runs[0]?.result.fingerprint ?? '',
    forced,
    repeat: Math.max(...rows.map((row) => row.runs.length)),
    startedAt: runs.map(({ result }) => result.startedAt).sort()[0] ?? '',
  });
}

/** Returns the comparison of these rows, with the figures of each and the significance of each pair. */
export function comparisonOf(
  scenario: Scenario,
  rows: readonly ComparisonRow[],
  isInRounds: boolean,
  facts: Pick<Comparison, 'fingerprint' | 'forced' | 'repeat' | 'startedAt'>,
): Comparison {
  const contenders = rows.map(({ target, runs }) => ({ target, runs: runs.map(({ result }) => result) }));
  const { figures, pairs } = significance(scenario, contenders, isInRounds);
  const withFigures = rows.map((row, index) => ({ ...row, figures: figures[index] ?? [] }));
  const of = { schema: resultVersion, tool: thisTool, kind: 'comparison', scenario: scenario.name } as const;
  return { ...of, ...facts, rows: withFigures, pairs, proof: null };
}

type Found = Pick<JudgedRatio, 'ratio' | 'ofMedians' | 'totals' | 'bounds' | 'boundsAtLeast' | 'holds'>;

const notFound: Found = {
  ...{ ratio: null, ofMedians: null, totals: null },
  ...{ bounds: null, boundsAtLeast: null, holds: 'open' },
};

/** Adds the results of these ratios to a comparison, by its runs and rounds. Pure. */
export function withRatios(comparison: Comparison, asked: readonly RatioThreshold[], scenario: Scenario): Comparison {
  if (asked.length === 0) return comparison;
  const ratioThresholds = asked.map(({ text, a, b, of, comparison: sign, bound }): JudgedRatio => {
    const threshold: RatioThreshold = { text, a, b, of, comparison: sign, bound };
    if (subjectsOf(scenario).counts.includes(of)) return { ...threshold, ...byTotals(comparison, threshold) };
    const { paired } = comparison;
    return { ...threshold, ...(paired ? byRounds(paired, threshold) : byWholeRuns(comparison, threshold, scenario)) };
  });
  return { ...comparison, ratioThresholds };
}

/** Returns the exit of a comparison by its ratios: a broken one outweighs an undecided one. */
export function ratioExit({ ratioThresholds = [] }: Pick<Comparison, 'ratioThresholds'>): ExitName {
  const ends = { yes: 'clean', no: 'threshold', open: 'rig' } as const;
  return worstOfRuns(ratioThresholds.map(({ holds }) => ends[holds]));
}

/** Compares totals. Totals of different numbers of runs, or of void runs, are not compared. */
function byTotals({ rows }: Comparison, threshold: RatioThreshold): Found {
  const runsOf = (name: string) => rows.find(({ target }) => target === name)?.runs ?? [];
  const [ofA, ofB] = [runsOf(threshold.a), runsOf(threshold.b)];
  const isWhole = [...ofA, ...ofB].every(({ result }) => result.verdict.rig !== 'void');
  const totalOf = (runs: typeof ofA): number | null => {
    const counts = runs.map(({ result }) => countIn(result.ledger, threshold.of));
    return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
  };
  const [a, b] = [totalOf(ofA), totalOf(ofB)];
  if (!isWhole || ofA.length === 0 || ofA.length !== ofB.length || a === null || b === null) return notFound;
  return { ...notFound, ratio: b === 0 ? null : a / b, totals: [a, b], holds: decideTotals(threshold, a, b) };
}

function byRounds(paired: Paired, threshold: RatioThreshold): Found {
  const { targets, starts, withheld, crowd, equalWithin } = paired;
  const [a, b] = [threshold.a, threshold.b].map((name) => targets.findIndex(({ target }) => target === name));
  if (a === undefined || b === undefined || a < 0 || b < 0) return notFound;
  const of = (timed: Timed): OneSidedRatio | undefined => ratioOfStarts(starts, timed, { a, b, equalWithin });
  const isMedian = threshold.of.endsWith('.p50');
  const most = of(isMedian ? 'p50Us' : 'lastUs');
  const least = isMedian ? of('p50AtLeastUs') : undefined;
  if (!most || (isMedian && !least)) return notFound;
  const holds = agreed([most, ...(least ? [least] : [])].map((each) => holdsFor(threshold, each)));
  const isWithheld = withheld.length > 0 || isByCrowd(crowd, threshold.a, threshold.b);
  const { ratio, ofMedians, bounds } = most;
  const found = { ratio, ofMedians, bounds, boundsAtLeast: least?.bounds ?? null };
  return { ...notFound, ...found, holds: isWithheld ? 'open' : holds };
}

/** Returns what rounds and medians agree on. It is open where a median did not arrive. */
function holdsFor(threshold: RatioThreshold, { bounds, ofMedians }: OneSidedRatio): Holds {
  if (!bounds || ofMedians === null) return 'open';
  return agreed([bounds, [ofMedians, ofMedians] as const].map((each) => decideRatio(threshold, each)));
}

/** Uses the interval of the pair on the scoreboard. Each of its ends holds with 97.5 %. */
function byWholeRuns({ pairs }: Comparison, threshold: RatioThreshold, { headline }: Scenario): Found {
  const column = headline.find((each) => figureName(each) === threshold.of)?.title;
  const ofColumn = pairs.filter((each) => each.column === column);
  const pair = pairOf(ofColumn, threshold.a, threshold.b);
  if (!pair) return notFound;
  const { ratio, interval: bounds } = pair;
  return { ...notFound, ratio, bounds, holds: decideRatio(threshold, bounds) };
}
