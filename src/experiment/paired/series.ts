import { join } from 'node:path';
import { ProblemError, problem } from '../../contract/problems.js';
import { roundsOf as logarithmsOf, overlappingIn } from '../../measure/paired/compare-starts.js';
import { type AfterEffect, afterEffects } from '../../measure/paired/predecessors.js';
import { slotOrder } from '../../measure/paired/slots.js';
import { minStarts, type Rounds } from '../../measure/paired/starts.js';
import type { Paired, PairedRounds } from '../../results/paired.js';
import type { RunResult } from '../../results/result.js';
import type { PairedOptions } from '../../run/plan/run-options.js';
import { hasFreshProcesses } from '../../run/server/supervised.js';
import type { Slots } from '../../scenarios/slots.js';
import { duration } from '../../units/unit.js';
import type { ExperimentContext } from '../cells.js';
import { canStop, crowdEffects, crowdMs } from './crowd.js';
import { leftOut, type PairsOfRounds, pairsOfRounds } from './pairs.js';
import { targetOver, withoutStolen } from './rounds.js';
import { type Side, type StartSize, seedOf } from './sides.js';
import {
  fewestStarts,
  grownSlots,
  isSpoilt,
  leastBudgetMs,
  roundsOf,
  sizeFor,
  spareStarts,
  startMs,
  usualBudgetMs,
  usualMs,
} from './start-size.js';
import { findSlots, PairedStarts, type Started } from './starts.js';

/** With ratios, all starts are made: an end as soon as pairs are decided would report a ratio where chance put it. */
type SeriesOptions = PairedOptions & { hasRatios: boolean };

/** Two starts decide nothing, so the third may end later than the budget by this factor. */
const overrun = 1.25;

/** Plans how many starts to make, of what size, and when the last must end, in milliseconds from the first. */
interface SeriesPlan {
  starts: number;
  size: StartSize;
  endMs: number;
  /** True if there is time to measure the effect of idle neighbours. */
  isCrowdAsked: boolean;
}

/** Makes the starts of one comparison. */
export class PairedSeries {
  readonly #options: SeriesOptions;
  readonly #starts: PairedStarts;
  readonly #startedMs = performance.now();
  readonly #sidesAtStart: number;
  /** Starts that count. */
  readonly #counted: { number: number; warmUp: number }[] = [];
  /** Number of starts that came to their end. */
  #ended = 0;

  constructor(
    spec: Slots,
    sides: readonly Side[],
    options: SeriesOptions,
    directory: string,
    context: ExperimentContext,
  ) {
    this.#starts = new PairedStarts(spec, sides, directory, context);
    this.#sidesAtStart = sides.length;
    this.#options = options;
  }

  /**
   * Returns undefined if no target could run. Throws `ProblemError` for a budget that does not pay for the fewest
   * starts.
   */
  async measure(): Promise<Paired | undefined> {
    const plan = await this.#plan();
    const [side] = this.#sides;
    if (!plan || !side) return undefined;
    const { ended, size } = await this.#makeAll(plan);
    const crowd = await this.#crowd(plan, size, ended);
    const rounds = this.#rounds();
    const all = rounds.reduce((sum, [first]) => sum + (first?.p50Us.length ?? 0), 0);
    const same = this.#sides.flatMap(({ plan: { target }, label, twinOf }) =>
      twinOf === null && !hasFreshProcesses(target) ? [label] : [],
    );
    return {
      seed: side.plan.fleet.seed,
      equalWithin: this.#options.equalWithin,
      startsPlanned: plan.starts,
      rounds: size.rounds,
      slotsMs: [...size.slotsMs],
      tookMs: this.#elapsedMs,
      ended,
      targets: this.#sides.map(({ label, twinOf, outcomes }, place) => ({
        ...{ target: label, twinOf, ...targetOver(outcomes, this.#starts.spec) },
        excludedShare: all === 0 ? 0 : leftOut(rounds, place) / all,
      })),
      starts: rounds,
      voidStarts: this.#ended - this.#counted.length,
      crowd,
      after: this.#after(rounds).map(({ after, ...effect }) => ({
        target: this.#sides[after]!.label,
        ...effect,
      })),
      ...(same.length > 0 && { sameProcesses: same }),
      ...this.#pairs(ended, plan.starts, crowd),
    };
  }

  get #sides(): readonly Side[] {
    return this.#starts.sides;
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }

  /** Plans the slots by a pilot, and the rest by the budget. Undefined if too few sides are left. */
  async #plan(): Promise<SeriesPlan | undefined> {
    const found = await findSlots(this.#starts, this.#options.slotMs);
    if (!found) return undefined;
    const { starts, rounds, budgetMs } = this.#options;
    const budget = { ...found, starts, rounds };
    const checkMs = canStop(this.#sides) ? crowdMs(this.#sides, found) : 0;
    const spentMs = this.#elapsedMs;
    const endMs = budgetMs ?? Math.max(usualMs, spentMs + usualBudgetMs(budget) + checkMs);
    const neededMs = spentMs + leastBudgetMs(budget);
    if (neededMs > endMs) throw new ProblemError([problem('badOption', this.#tooSmall(neededMs, found.slotsMs))]);
    const isCrowdAsked = checkMs > 0 && neededMs + checkMs <= endMs;
    const leftMs = endMs - spentMs - (isCrowdAsked ? checkMs : 0);
    return { ...sizeFor({ ...budget, leftMs }), endMs: spentMs + leftMs, isCrowdAsked };
  }

  #tooSmall(neededMs: number, slotsMs: readonly number[]): string {
    const slots = this.#sides.map(({ label }, place) => `${label} ${duration.print(slotsMs[place]!)}`).join(', ');
    const [needed, received] = [Math.ceil(neededMs / 5000) * 5000, this.#options.budgetMs ?? 0].map(duration.print);
    const what = `${minStarts} starts of ${roundsOf(slotsMs).least} rounds with slots as long as deliveries take`;
    return `--budget: expected at least ${needed} for ${what} (${slots}), received ${received}`;
  }

  async #makeAll({ starts, size: first, endMs }: SeriesPlan): Promise<{ ended: Paired['ended']; size: StartSize }> {
    const { hasRatios, budgetMs } = this.#options;
    const { context, spec } = this.#starts;
    let size = first;
    let longestMs = 0;
    for (let number = 1; this.#counted.length < starts; number++) {
      const fromMs = performance.now();
      const fewest = budgetMs === undefined ? Math.min(fewestStarts, starts) : minStarts;
      const isTooFew = this.#counted.length < fewest;
      const untilMs = isTooFew ? overrun * (budgetMs ?? Number.POSITIVE_INFINITY) : endMs;
      const isOver = number > 1 && this.#elapsedMs + longestMs > untilMs;
      if (isOver || number > starts + spareStarts) return { ended: 'budget', size };
      context.begins('start', this.#counted.length + 1, starts);
      const started = await this.#starts.make(size, number);
      context.finished();
      if (context.interrupt.aborted) return { ended: 'interrupted', size };
      if (!started) return { ended: 'tooFew', size };
      this.#take(started, { number, warmUp: size.warmUp });
      longestMs = Math.max(longestMs, performance.now() - fromMs);
      const slotsMs = grownSlots(started.slotsMs, started.shown, spec.spreadShare ?? 0);
      const hasGrown = slotsMs.some((each, place) => each !== started.slotsMs[place]);
      if (hasGrown) longestMs = 0;
      size = hasGrown ? this.#sizeOfRest(slotsMs, endMs, starts) : { ...size, slotsMs };
      if (!hasRatios && this.#isDecided(starts)) return { ended: 'decided', size };
    }
    return { ended: 'starts', size };
  }

  /** Longer slots leave time for fewer rounds, and may take more than the budget for the fewest starts. */
  #sizeOfRest(slotsMs: readonly number[], endMs: number, planned: number): StartSize {
    const starts = planned - this.#counted.length;
    const leftMs = Math.max(0, endMs - this.#elapsedMs);
    return sizeFor({ slotsMs, besideMs: startMs, leftMs, starts, rounds: this.#options.rounds }).size;
  }

  #take({ outcomes, rounds }: Started, start: { number: number; warmUp: number }): void {
    this.#ended++;
    const isVoid = outcomes.some(({ result }) => isVoidHere(result));
    const counts = !isVoid && !isSpoilt(overlappingIn(rounds).size, rounds[0]!.p50Us.length);
    if (counts) this.#counted.push(start);
    const kept = withoutStolen(rounds);
    this.#sides.forEach((side, index) => {
      const { directory, result } = outcomes[index]!;
      if (counts) side.outcomes.push(outcomes[index]!);
      if (counts) side.rounds.push(kept[index]!);
      side.row?.runs.push({ directory, result });
    });
  }

  /**
   * Returns true if all pairs are decided. A control that differs by chance may agree again in the remaining starts.
   */
  #isDecided(starts: number): boolean {
    const { pairs, control } = this.#pairs('decided', starts);
    if (control?.holds === 'yes') return false;
    return (control ?? pairs[0]) !== undefined && pairs.every(({ holds }) => holds !== 'open');
  }

  /** Measures the effect of idle neighbours on each target; null where that can't be measured, or no time is left. */
  async #crowd(
    { isCrowdAsked, starts, endMs }: SeriesPlan,
    size: StartSize,
    ended: Paired['ended'],
  ): Promise<Paired['crowd']> {
    const sides = this.#sides;
    const checkMs = crowdMs(sides, size);
    const isOver = ended === 'interrupted' || ended === 'tooFew' || this.#elapsedMs > endMs + checkMs / 2;
    if (!isCrowdAsked || isOver || checkMs === 0) return null;
    const { spec, directory, context } = this.#starts;
    context.begins('alone', 1, 1);
    const number = starts + spareStarts + 1;
    const effects = await crowdEffects(sides, spec, size, { number, resultsDir: join(directory, 'alone'), context });
    context.finished();
    return sides.flatMap(({ label }, place) => {
      const effect = effects[place];
      return effect ? [{ target: label, ...effect }] : [];
    });
  }

  /**
   * Measures how the slots of each side affect those that follow. Empty if sides left, because their slots left with
   * them.
   */
  #after(kept: readonly (readonly PairedRounds[])[]): AfterEffect[] {
    const [side] = this.#sides;
    if (!side || this.#sides.length < this.#sidesAtStart) return [];
    return afterEffects(
      kept.map((start, index) => {
        const { number, warmUp } = this.#counted[index]!;
        const rounds = warmUp + start[0]!.p50Us.length;
        return {
          rounds: arrivedOnly(logarithmsOf(start, 'p50Us')),
          order: slotOrder(seedOf(side.plan, number), this.#sides.length, rounds).slice(warmUp),
        };
      }),
    );
  }

  /** Returns the rounds by start, then by side. */
  #rounds(): PairedRounds[][] {
    return this.#counted.map((_, start) => this.#sides.map(({ rounds }) => rounds[start]!));
  }

  #pairs(ended: Paired['ended'], startsPlanned: number, crowd: Paired['crowd'] = null): PairsOfRounds {
    const { equalWithin } = this.#options;
    const targets = this.#sides.map(({ label, twinOf }) => ({ target: label, twinOf }));
    return pairsOfRounds({ targets, starts: this.#rounds(), crowd, equalWithin, startsPlanned, ended });
  }
}

/** Drops rounds that never arrived, because they do not show how their slot affected others. */
function arrivedOnly(rounds: Rounds): Rounds {
  return rounds.map((round) => round.map((each) => (Number.isFinite(each) ? each : Number.NaN)));
}

/**
 * Returns true if a run is void. Slow starts of processes and clients only make a run long, and leave its slots intact.
 */
function isVoidHere({ verdict }: RunResult): boolean {
  return verdict.evidence.some(({ rule, level }) => level === 'void' && rule !== 'elapsed-overrun');
}
