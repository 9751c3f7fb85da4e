import { problemError } from '../../contract/problems.js';
import { overlappingIn } from '../../measure/paired/compare-starts.js';
import { minStarts } from '../../measure/paired/starts.js';
import type { Paired, PairedRounds } from '../../results/paired.js';
import type { RunResult } from '../../results/result.js';
import type { PairedOptions } from '../../run/plan/run-options.js';
import type { RunContext } from '../../run/run.js';
import { hasFreshProcesses } from '../../run/server/restart.js';
import type { Slots } from '../../scenarios/scenario.js';
import { duration } from '../../units/unit.js';
import type { Made, Order, Turn } from '../cells.js';
import { canStop, crowdEffects, crowdMs } from './crowd.js';
import { leftOut, type PairsOfRounds, pairsOfRounds, targetOver, withoutStolen } from './rounds.js';
import {
  type Budget,
  fewestStarts,
  grownSlots,
  isSpoilt,
  leastBudgetMs,
  roundsOf,
  type StartSize,
  sizeFor,
  spareStarts,
  usualBudgetMs,
  usualMs,
} from './start-size.js';
import { findSlots, PairedStarts, type Side, type Started } from './starts.js';

/** With ratios, all starts are made: an end as soon as pairs are decided would report a ratio where chance put it. */
type SeriesOptions = Omit<PairedOptions, 'design'> & { hasRatios: boolean; leastTargets?: number };

/** Two starts decide nothing, so the third may end later than the budget by this factor. */
const overrun = 1.25;

/** Plans how many starts to make, of what size, and when the last must end, in milliseconds from the first. */
interface SeriesPlan {
  starts: number;
  size: StartSize;
  /** Time of a start besides its rounds. */
  besideMs: number;
  endMs: number;
  /** True if there is time to measure the effect of idle neighbours. */
  isCrowdAsked: boolean;
}

interface MadeSeries {
  plan: SeriesPlan;
  size: StartSize;
  ended: Paired['ended'];
}

/** Asks for the starts of one comparison, and compares their rounds. */
export class PairedSeries {
  readonly #options: SeriesOptions;
  readonly #starts: PairedStarts;
  /** Starts that count. */
  #counted = 0;
  /** Number of starts that came to their end. */
  #ended = 0;
  /** Undefined until the slots are known. */
  #made: MadeSeries | undefined;

  constructor(spec: Slots, sides: readonly Side[], options: SeriesOptions) {
    this.#starts = new PairedStarts(spec, sides, options.leastTargets);
    this.#options = options;
  }

  /** Returns the answer of the starts so far, with the effect of idle neighbours. Undefined if no target could run. */
  async conclude(directory: string, context: RunContext): Promise<Paired | undefined> {
    const [side] = this.#sides;
    if (!this.#made || !side) return undefined;
    const { plan, size, ended } = this.#made;
    const crowd = await this.#crowd(this.#made, directory, context);
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
      tookMs: this.#starts.atMs,
      ended,
      targets: this.#sides.map(({ label, twinOf, outcomes }, place) => ({
        ...{ target: label, twinOf, ...targetOver(outcomes, this.#starts.spec) },
        excludedShare: all === 0 ? 0 : leftOut(rounds, place) / all,
      })),
      starts: rounds,
      voidStarts: this.#ended - this.#counted,
      crowd,
      ...(same.length > 0 && { sameProcesses: same }),
      ...this.#pairs(ended, plan.starts, crowd),
    };
  }

  get #sides(): readonly Side[] {
    return this.#starts.sides;
  }

  /** Asks for pilots that find the slots, then for starts. Throws `ProblemError` for too small a budget. */
  async *order(): Order {
    const found = yield* findSlots(this.#starts, this.#options.slotMs);
    if (!found) return;
    if (found.first) this.#take(found.first);
    const plan = this.#plan(found);
    this.#made = { plan, size: plan.size, ended: 'interrupted' };
    this.#made.ended = yield* this.#all(this.#made);
  }

  /** Plans the starts by the budget. */
  #plan({ slotsMs, besideMs }: Pick<Budget, 'slotsMs' | 'besideMs'>): SeriesPlan {
    const { starts, rounds, budgetMs } = this.#options;
    const found = { slotsMs, besideMs };
    const budget = { ...found, starts, rounds, made: this.#counted };
    const checkMs = canStop(this.#sides) ? crowdMs(this.#sides, found) : 0;
    const spentMs = this.#starts.atMs;
    const endMs = budgetMs ?? Math.max(usualMs, spentMs + usualBudgetMs(budget) + checkMs);
    const neededMs = spentMs + leastBudgetMs(budget);
    if (neededMs > endMs) throw problemError('badOption', this.#tooSmall(neededMs, found.slotsMs));
    const isCrowdAsked = checkMs > 0 && neededMs + checkMs <= endMs;
    const leftMs = endMs - spentMs - (isCrowdAsked ? checkMs : 0);
    return { ...sizeFor({ ...budget, leftMs }), besideMs, endMs: spentMs + leftMs, isCrowdAsked };
  }

  #tooSmall(neededMs: number, slotsMs: readonly number[]): string {
    const slots = this.#sides.map(({ label }, place) => `${label} ${duration.print(slotsMs[place]!)}`).join(', ');
    const [needed, received] = [Math.ceil(neededMs / 5000) * 5000, this.#options.budgetMs ?? 0].map(duration.print);
    const what = `${minStarts} starts of ${roundsOf(slotsMs).least} rounds with slots as long as deliveries take`;
    return `--budget: expected at least ${needed} for ${what} (${slots}), received ${received}`;
  }

  async *#all(made: MadeSeries): AsyncGenerator<Turn, Paired['ended'], readonly Made[]> {
    const { starts, endMs } = made.plan;
    const { hasRatios, budgetMs } = this.#options;
    let longestMs = 0;
    for (let number = 1; this.#counted < starts; number++) {
      const fewest = budgetMs === undefined ? Math.min(fewestStarts, starts) : minStarts;
      const isTooFew = this.#counted < fewest;
      const untilMs = isTooFew ? overrun * (budgetMs ?? Number.POSITIVE_INFINITY) : endMs;
      const isOver = number > 1 && this.#starts.atMs + longestMs > untilMs;
      if (isOver || number > starts + spareStarts) return 'budget';
      const shown = { label: 'start', number: this.#counted + 1, of: starts };
      const started = yield* this.#starts.make(made.size, { number, shown });
      if (!started) return this.#starts.isTooFew ? 'tooFew' : 'interrupted';
      this.#take(started);
      longestMs = Math.max(longestMs, started.tookMs);
      const slotsMs = grownSlots(started.slotsMs, started.shown, this.#starts.spec.spreadShare ?? 0);
      const hasGrown = slotsMs.some((each, place) => each !== started.slotsMs[place]);
      if (hasGrown) longestMs = 0;
      made.size = hasGrown ? this.#sizeOfRest(slotsMs, made.plan) : { ...made.size, slotsMs };
      if (!hasRatios && this.#isDecided(starts)) return 'decided';
    }
    return 'starts';
  }

  /** Longer slots leave time for fewer rounds, and may take more than the budget for the fewest starts. */
  #sizeOfRest(slotsMs: readonly number[], { endMs, besideMs, starts }: SeriesPlan): StartSize {
    const leftMs = Math.max(0, endMs - this.#starts.atMs);
    const budget = { slotsMs, besideMs, leftMs, starts, rounds: this.#options.rounds };
    return sizeFor({ ...budget, made: this.#counted }).size;
  }

  #take({ outcomes, rounds }: Started): void {
    this.#ended++;
    const isVoid = outcomes.some(({ result }) => isVoidInTurn(result));
    const counts = !isVoid && !isSpoilt(overlappingIn(rounds).size, rounds[0]!.p50Us.length);
    if (counts) this.#counted++;
    const kept = withoutStolen(rounds);
    this.#sides.forEach((side, index) => {
      const { directory, result } = outcomes[index]!;
      if (counts) side.outcomes.push(outcomes[index]!);
      if (counts) side.rounds.push(kept[index]!);
      side.row?.runs.push({ directory, result });
    });
  }

  /** A control that differs by chance may agree again in the remaining starts. */
  #isDecided(starts: number): boolean {
    const { pairs, control } = this.#pairs('decided', starts);
    if (control?.holds === 'yes') return false;
    return (control ?? pairs[0]) !== undefined && pairs.every(({ holds }) => holds !== 'open');
  }

  /** Measures the effect of idle neighbours on each target; null where that can't be measured, or no time is left. */
  async #crowd(
    { plan: { isCrowdAsked, starts, endMs }, size, ended }: MadeSeries,
    directory: string,
    context: RunContext,
  ): Promise<Paired['crowd']> {
    const sides = this.#sides;
    const checkMs = crowdMs(sides, size);
    const isOver = ended === 'interrupted' || ended === 'tooFew' || this.#starts.atMs > endMs + checkMs / 2;
    if (!isCrowdAsked || isOver || checkMs === 0) return null;
    const number = starts + spareStarts + 1;
    const effects = await crowdEffects(sides, this.#starts.spec, size, { number, directory, context });
    return sides.flatMap(({ label }, place) => {
      const effect = effects[place];
      return effect ? [{ target: label, ...effect }] : [];
    });
  }

  /** Returns the rounds by start, then by side. */
  #rounds(): PairedRounds[][] {
    return Array.from({ length: this.#counted }, (_, start) => this.#sides.map(({ rounds }) => rounds[start]!));
  }

  #pairs(ended: Paired['ended'], startsPlanned: number, crowd: Paired['crowd'] = null): PairsOfRounds {
    const { equalWithin } = this.#options;
    const targets = this.#sides.map(({ label, twinOf }) => ({ target: label, twinOf }));
    return pairsOfRounds({ targets, starts: this.#rounds(), crowd, equalWithin, startsPlanned, ended });
  }
}

/** Returns true if a run is void for another reason than a slow start, which leaves its slots intact. */
export function isVoidInTurn({ verdict }: RunResult): boolean {
  return verdict.evidence.some(({ rule, level }) => level === 'void' && rule !== 'elapsed-overrun');
}
