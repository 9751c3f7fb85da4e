import { join } from 'node:path';
import { ProblemError } from '../../contract/problems.js';
import { stopInWords, stopReasons } from '../../contract/stop-reasons.js';
import { roundsOf } from '../../measure/paired/compare-starts.js';
import { slotOrder } from '../../measure/paired/order.js';
import { type AfterEffect, afterEffects } from '../../measure/paired/predecessors.js';
import { minStarts } from '../../measure/paired/starts.js';
import type { Paired, PairedRounds } from '../../results/paired.js';
import type { RunResult } from '../../results/result.js';
import type { Slots } from '../../run/catalog.js';
import type { PairedOptions } from '../../run/plan/run-options.js';
import type { RunOutcome } from '../../run/run.js';
import { freshProcesses, hasFreshProcesses } from '../../run/target/fresh-processes.js';
import type { CompareContext } from './compare.js';
import { canStop, crowdEffects, crowdSize } from './crowd.js';
import { excludedOf, type PairsOfRounds, pairsOfRounds } from './pairs.js';
import { roundsIn, slotMsFor, targetOver, withoutStolen } from './rounds.js';
import { runSides, type Side, type StartSize, seedOf, withoutOrphan } from './sides.js';
import { type Budget, mostSlotMs, pilotWith, roundsFor, roundsMs, startMs, warmUp } from './start-size.js';

/** An end as soon as pairs are decided would show a ratio where chance put it: with ratios, all starts are made. */
type SeriesOptions = PairedOptions & { hasRatios: boolean };

/** The starts of one comparison. */
export class PairedSeries {
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
      tookMs: this.#elapsedMs,
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
      ...this.#pairs(ended, crowd),
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
    const { slotMs: asked, rounds, starts } = this.#options;
    const leastMs = this.#spec.leastSlotMs?.(this.#sides[0]?.plan.options ?? {}) ?? 0;
    const budget = (besideMs: number): Budget => ({
      sides: this.#sides.length,
      leftMs: this.#startsMs - this.#elapsedMs,
      besideMs,
      starts,
    });
    if (asked !== undefined) return { slotMs: asked, warmUp, rounds: roundsFor(asked, budget(startMs), rounds) };
    this.#context.begins('finding the slot length', 0, starts);
    const pilot = pilotWith(leastMs);
    const found = await this.#start(pilot, 0);
    if (!found) return undefined;
    const left = budget(this.#elapsedMs - roundsMs(pilot, this.#sides.length));
    const slotMs = slotMsFor(found, this.#spec, { leastMs, mostMs: mostSlotMs(left) });
    return { slotMs, warmUp, rounds: roundsFor(slotMs, left, rounds) };
  }

  /** The budget of all starts: what the check for the crowd leaves. */
  get #startsMs(): number {
    const { budgetMs } = this.#options;
    const isChecked = this.#sides.length > 2 && canStop(this.#sides);
    return isChecked ? budgetMs - crowdSize(this.#sides, pilotWith(0)).lastsMs - startMs : budgetMs;
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedMs;
  }

  async #starts(size: StartSize): Promise<Paired['ended']> {
    const { starts, hasRatios } = this.#options;
    let longestMs = 0;
    for (let number = 1; number <= starts; number++) {
      const fromMs = performance.now();
      if (number > minStarts && this.#elapsedMs + longestMs > this.#startsMs) return 'budget';
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
      const { pairs, control } = this.#pairs('decided');
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

  #pairs(ended: Paired['ended'], crowd: Paired['crowd'] = null): PairsOfRounds {
    const { equalWithin, starts: startsPlanned } = this.#options;
    const targets = this.#sides.map(({ label, twinOf }) => ({ target: label, twinOf }));
    const asked = { targets, starts: this.#rounds(), crowd, equalWithin, startsPlanned, ended };
    return pairsOfRounds(asked, this.#sides[0]?.plan.options ?? {});
  }
}

/** Slow starts of processes and clients make a run long, and leave its slots as they are. */
function isVoidHere({ verdict }: RunResult): boolean {
  return verdict.evidence.some(({ rule, level }) => level === 'void' && rule !== 'elapsed-overrun');
}
