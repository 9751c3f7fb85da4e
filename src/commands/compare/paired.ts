import { join } from 'node:path';
import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { ProblemError } from '../../contract/problems.js';
import { stopInWords, stopReasons } from '../../contract/stop-reasons.js';
import { thisTool } from '../../contract/version.js';
import { roundsOf } from '../../measure/paired/compare-starts.js';
import { slotOrder } from '../../measure/paired/order.js';
import { type AfterEffect, afterEffects } from '../../measure/paired/predecessors.js';
import type { RatioThreshold } from '../../measure/paired/ratio-threshold.js';
import { minStarts } from '../../measure/paired/starts.js';
import { type Comparison, comparisonFile } from '../../results/comparison.js';
import { fingerprint } from '../../results/fingerprint.js';
import type { Paired, PairedRounds } from '../../results/paired.js';
import type { RunResult } from '../../results/result.js';
import { resultVersion } from '../../results/result.js';
import { ResultStore, resultDirectory } from '../../results/store.js';
import type { Slots } from '../../run/catalog.js';
import { type Plan, shapeOf } from '../../run/plan/plan.js';
import type { PairedOptions } from '../../run/plan/run-options.js';
import type { RunOutcome } from '../../run/run.js';
import { freshProcesses, hasFreshProcesses } from '../../run/target/fresh-processes.js';
import { type CompareContext, rowOf } from './compare.js';
import { canStop, crowdEffects, crowdSize } from './crowd.js';
import { excludedOf, type PairsOfRounds, pairsOfRounds } from './pairs.js';
import { ratioExit, withRatios } from './ratios.js';
import { roundsIn, slotMsFor, targetOver, withoutStolen } from './rounds.js';
import { runSides, type Side, type StartSize, seedOf, sidesOf, withoutOrphan } from './sides.js';

/** A start that only finds out how long a slot must be. */
const pilot: StartSize = { rounds: 9, warmUp: 9, slotMs: 40 };
const warmUp = 5;
const leastRounds = 12;
/** About what processes and clients take before a start's rounds begin. */
const startMs = 4000;

/** An end as soon as pairs are decided would show a ratio where chance put it: with ratios, all starts are made. */
type SeriesOptions = PairedOptions & { hasRatios: boolean };

/**
 * Compares targets that are all up at once: in each round every target has one broadcast, or one send of each client,
 * in a slot of its own. Several starts of all processes follow each other, until all pairs are decided, or the starts
 * or the budget are used up.
 */
export async function comparePaired(
  plans: readonly Plan[],
  options: PairedOptions,
  context: CompareContext,
  ratios: readonly RatioThreshold[] = [],
): Promise<{ comparison: Comparison; directory: string }> {
  const [first] = plans;
  const spec = first?.scenario.slots;
  if (!first || !spec) throw new Error('a paired comparison needs a plan of a scenario that takes slots');
  const startedAt = new Date().toISOString();
  const { scenario, fleet } = first;
  const directory = resultDirectory(fleet.resultsDir, startedAt, scenario.name, 'compare', 'paired');
  const rows = await Promise.all(plans.map((plan) => rowOf({ plan, label: plan.target.name })));
  const asked = { ...options, hasRatios: ratios.length > 0 };
  const paired = await new PairedSeries(spec, sidesOf(plans, rows), asked, directory, context).measure();
  const measured: Comparison = {
    schema: resultVersion,
    tool: thisTool,
    scenario: scenario.name,
    fingerprint: fingerprint({ ...shapeOf(first), design: 'paired' }),
    forced: '',
    repeat: Math.max(1, ...rows.map(({ runs }) => runs.length)),
    startedAt,
    rows,
    pairs: [],
    proof: null,
    ...(paired && { paired }),
  };
  const comparison = withRatios(measured, ratios, scenario);
  await new ResultStore(context.notKept).keep(directory, { [comparisonFile]: comparison });
  return { comparison, directory };
}

/** The starts of one comparison. */
class PairedSeries {
  readonly #options: SeriesOptions;
  readonly #directory: string;
  readonly #context: CompareContext;
  readonly #startedMs = performance.now();
  readonly #spec: Slots;
  readonly #sidesAtStart: number;
  /** Numbers of the starts without a void run: the others say nothing of any target. */
  readonly #counted: number[] = [];
  /** Starts that came to their end. */
  #ended = 0;
  /** Those that are still in it. */
  #sides: readonly Side[];

  constructor(spec: Slots, sides: readonly Side[], options: SeriesOptions, directory: string, context: CompareContext) {
    this.#spec = spec;
    this.#sides = sides;
    this.#sidesAtStart = sides.length;
    this.#options = options;
    this.#directory = directory;
    this.#context = context;
  }

  /** Undefined if no target could run. */
  async measure(): Promise<Paired | undefined> {
    const size = await this.#size();
    const [side] = this.#sides;
    if (!size || !side) return undefined;
    const { starts, equalWithin } = this.#options;
    const ended = await this.#starts(size);
    const crowd = await this.#crowd(size, ended);
    const rounds = this.#rounds();
    const slots = rounds.length * size.rounds;
    const same = this.#sides.flatMap(({ plan, label, twinOf }) =>
      twinOf === null && !hasFreshProcesses(plan.target) ? [label] : [],
    );
    return {
      seed: side.plan.fleet.seed,
      equalWithin,
      startsPlanned: starts,
      rounds: size.rounds,
      slotMs: size.slotMs,
      tookMs: performance.now() - this.#startedMs,
      ended,
      targets: this.#sides.map(({ label, twinOf, outcomes }, place) => ({
        ...{ target: label, twinOf, ...targetOver(outcomes, this.#spec) },
        excludedShare: slots === 0 ? 0 : excludedOf(rounds, place) / slots,
      })),
      starts: rounds,
      voidStarts: this.#ended - this.#counted.length,
      crowd,
      after: this.#after(rounds, size).map(({ after, ...effect }) => ({
        target: this.#sides[after]!.label,
        ...effect,
      })),
      ...(same.length > 0 && { sameProcesses: same }),
      ...this.#pairs(crowd),
    };
  }

  /** What idle neighbours do to each target; null where that can't be measured, or no time is left. */
  async #crowd(size: StartSize, ended: Paired['ended']): Promise<Paired['crowd']> {
    const sides = this.#sides;
    const isAsked =
      sides.length > 2 && canStop(sides) && (ended === 'decided' || ended === 'starts' || ended === 'budget');
    if (!isAsked) return null;
    this.#context.begins('alone', 1, 1);
    const resultsDir = join(this.#directory, 'alone');
    const number = this.#options.starts + 1;
    const effects = await crowdEffects(sides, this.#spec, size, { number, resultsDir, context: this.#context });
    this.#context.finished();
    return sides.flatMap(({ label }, place) => {
      const effect = effects[place];
      return effect ? [{ target: label, ...effect }] : [];
    });
  }

  /** Rounds and slots of each start: the slots by a pilot, the rounds by the budget. */
  async #size(): Promise<StartSize | undefined> {
    const { slotMs: asked, rounds: most, starts } = this.#options;
    const leastMs = this.#spec.leastSlotMs?.(this.#sides[0]?.plan.options ?? {}) ?? 0;
    this.#context.begins('finding the slot length', 0, starts);
    const first = { ...pilot, slotMs: Math.max(pilot.slotMs, leastMs) };
    const found = asked === undefined ? await this.#start(first, 0) : undefined;
    if (asked === undefined && !found) return undefined;
    const elapsedMs = performance.now() - this.#startedMs;
    const sides = this.#sides.length;
    const besideMs = found ? Math.max(0, elapsedMs - (first.rounds + first.warmUp) * first.slotMs * sides) : startMs;
    // By how many starts the budget is divided, how long all slots of one target may be in each.
    const shareMs = (of: number): number => Math.max(0, (this.#startsMs - elapsedMs) / of - besideMs) / sides;
    // A slow moment in the pilot must not make the fewest starts of the fewest rounds longer than the budget.
    const mostMs = shareMs(minStarts) / (leastRounds + warmUp);
    const slotMs = asked ?? slotMsFor(found ?? [], this.#spec, { leastMs, mostMs });
    const inBudget = Math.floor(shareMs(starts) / slotMs) - warmUp;
    return { slotMs, warmUp, rounds: Math.max(leastRounds, Math.min(most, inBudget)) };
  }

  /** The budget of all starts: what the check for the crowd leaves. */
  get #startsMs(): number {
    const { budgetMs } = this.#options;
    const isChecked = this.#sides.length > 2 && canStop(this.#sides);
    return isChecked ? budgetMs - crowdSize(this.#sides, pilot).lastsMs - startMs : budgetMs;
  }

  async #starts(size: StartSize): Promise<Paired['ended']> {
    const { starts, hasRatios } = this.#options;
    let longestMs = 0;
    for (let number = 1; number <= starts; number++) {
      const fromMs = performance.now();
      if (number > minStarts && fromMs - this.#startedMs + longestMs > this.#startsMs) return 'budget';
      this.#context.begins('start', number, starts);
      const outcomes = await this.#start(size, number);
      this.#context.finished();
      if (this.#context.interrupt.aborted) return 'interrupted';
      if (!outcomes) return 'tooFew';
      this.#ended++;
      const isVoid = outcomes.some(({ result }) => isVoidHere(result));
      if (!isVoid) this.#counted.push(number);
      for (const [index, side] of this.#sides.entries()) {
        const outcome = outcomes[index]!;
        if (!isVoid) side.outcomes.push(outcome);
        side.row?.runs.push({ directory: outcome.directory, result: outcome.result });
      }
      longestMs = Math.max(longestMs, performance.now() - fromMs);
      if (hasRatios) continue;
      const { pairs, control } = this.#pairs();
      if ((control ?? pairs[0]) && pairs.every(({ conclusion }) => conclusion !== 'open')) return 'decided';
    }
    return 'starts';
  }

  /** One start of all sides. Sides that fail leave the comparison; undefined if fewer than two remain. */
  async #start(size: StartSize, number: number): Promise<RunOutcome[] | undefined> {
    if (number > 0) await this.#restartExternal();
    const sides = this.#sides;
    if (sides.length < 2) return undefined;
    const resultsDir = number === 0 ? join(this.#directory, 'pilot') : this.#directory;
    const ends = await runSides(sides, this.#spec, size, { number, resultsDir, context: this.#context });
    if (this.#context.interrupt.aborted) return undefined;
    const whole = sides.filter((side, index) => this.#stays(side, ends[index]!));
    this.#sides = whole.length === sides.length ? sides : withoutOrphan(whole);
    if (this.#sides.length < 2) return undefined;
    return this.#sides.map((side) => ends[sides.indexOf(side)] as RunOutcome);
  }

  /** All are up again before any is measured. A twin shares the processes of its original. */
  async #restartExternal(): Promise<void> {
    const faults = await Promise.all(
      this.#sides.map(({ plan, twinOf }) =>
        twinOf === null ? freshProcesses(plan.target, this.#context.interrupt) : undefined,
      ),
    );
    const back = this.#sides.filter((side, place) => !faults[place] || this.#stays(side, faults[place]));
    this.#sides = withoutOrphan(back);
  }

  /** Whether a side can go on; otherwise its row says why not. */
  #stays({ row }: Side, end: RunOutcome | ProblemError): boolean {
    const isWhole = !(end instanceof ProblemError) && stopReasons[end.result.stop.code].isComplete;
    if (isWhole) return true;
    if (row) {
      row.state = 'failed';
      row.why = end instanceof ProblemError ? end.message : stopInWords(end.result.stop);
      if (!(end instanceof ProblemError)) row.runs.push({ directory: end.directory, result: end.result });
    }
    return false;
  }

  /** What the slots of each side do to those that follow; nothing if sides left, and with them their slots. */
  #after(kept: readonly (readonly PairedRounds[])[], { rounds, warmUp: before }: StartSize): AfterEffect[] {
    const [side] = this.#sides;
    if (!side || this.#sides.length < this.#sidesAtStart) return [];
    return afterEffects(
      kept.map((start, index) => ({
        rounds: roundsOf(start, 'p50Us', Number.NaN),
        order: slotOrder(seedOf(side.plan, this.#counted[index]!), this.#sides.length, before + rounds).slice(before),
      })),
    );
  }

  /** By start, then by side. */
  #rounds(): PairedRounds[][] {
    const starts = this.#sides[0]?.outcomes ?? [];
    return starts.map((_, start) =>
      withoutStolen(this.#sides.map(({ outcomes }) => roundsIn(outcomes[start]!, this.#spec))),
    );
  }

  #pairs(crowd: Paired['crowd'] = null): PairsOfRounds {
    const { equalWithin, starts: startsPlanned } = this.#options;
    const targets = this.#sides.map(({ label, twinOf }) => ({ target: label, twinOf }));
    const asked = { targets, starts: this.#rounds(), crowd, equalWithin, startsPlanned };
    return pairsOfRounds(asked, this.#sides[0]?.plan.options ?? {});
  }
}

/** Slow starts of processes and clients make a run long, and leave its slots as they are. */
function isVoidHere({ verdict }: RunResult): boolean {
  return verdict.evidence.some(({ rule, level }) => level === 'void' && rule !== 'elapsed-overrun');
}

/** Whether it names an order, or targets that are equal; one target alone has none to name. */
function isAnswered({ paired, rows }: Pick<Comparison, 'paired' | 'rows'>): boolean {
  if (rows.length < 2) return true;
  return paired?.withheld.length === 0 && paired.pairs.some(({ conclusion }) => conclusion !== 'open');
}

/** How a paired comparison ends: clean if it states something about every target that ran. */
export function pairedExit({
  paired,
  rows,
  ratioThresholds,
}: Pick<Comparison, 'paired' | 'rows' | 'ratioThresholds'>): ExitName {
  if (!paired) return 'input';
  if (paired.ended === 'interrupted') return 'interrupted';
  const ends: ExitName[] = [
    ...(rows.some(({ state }) => state === 'failed') ? (['input'] as const) : []),
    ...(rows.some(({ runs }) => runs.some(({ result }) => result.thresholds.some(({ isKept }) => !isKept)))
      ? (['threshold'] as const)
      : []),
    ...(isAnswered({ paired, rows }) || ratioThresholds ? [] : (['rig'] as const)),
    ratioExit({ ratioThresholds }),
  ];
  return worstOfRuns(ends);
}
