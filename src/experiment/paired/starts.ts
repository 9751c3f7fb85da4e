import { join } from 'node:path';
import { ProblemError } from '../../contract/problems.js';
import { stopInWords, stopReasons } from '../../contract/stop-reasons.js';
import type { PairedRounds } from '../../results/paired.js';
import type { RunOutcome } from '../../run/conclude.js';
import { freshProcesses } from '../../run/server/supervised.js';
import type { Slots } from '../../scenarios/slots.js';
import type { ExperimentContext } from '../cells.js';
import { arrivedUs, roundsIn } from './rounds.js';
import { runSides, type Side, type StartSize, slotPlanOf, withoutOrphan } from './sides.js';
import { type Budget, firstPilot, nextPilot, roundsMs, type ShownSlots, slotsAfter, startMs } from './start-size.js';

/** Holds the results of one start for the sides that stay, by side. */
export interface Started {
  outcomes: RunOutcome[];
  rounds: PairedRounds[];
  shown: ShownSlots[];
  /** Slots that these sides had. */
  slotsMs: number[];
}

/** Makes the starts of one comparison, one after the other. Sides that fail leave it. */
export class PairedStarts {
  readonly spec: Slots;
  readonly directory: string;
  readonly context: ExperimentContext;
  #sides: readonly Side[];

  constructor(spec: Slots, sides: readonly Side[], directory: string, context: ExperimentContext) {
    this.spec = spec;
    this.#sides = sides;
    this.directory = directory;
    this.context = context;
  }

  /** Returns the sides that have not left. */
  get sides(): readonly Side[] {
    return this.#sides;
  }

  /**
   * Makes one start of all sides. `number` 0 is a pilot. Undefined if it was interrupted, or if fewer than two sides
   * stay.
   */
  async make(given: StartSize, number: number): Promise<Started | undefined> {
    const asked = this.#sides;
    if (number > 0) await this.#restartExternal();
    const sides = this.#sides;
    if (sides.length < 2) return undefined;
    const size = { ...given, slotsMs: sides.map((side) => given.slotsMs[asked.indexOf(side)]!) };
    const resultsDir = number === 0 ? join(this.directory, 'pilot') : this.directory;
    const ends = await runSides(sides, this.spec, size, { number, resultsDir, context: this.context });
    if (this.context.interrupt.aborted) return undefined;
    const whole = sides.filter((side, index) => stays(side, ends[index]!));
    this.#sides = whole.length === sides.length ? sides : withoutOrphan(whole);
    if (this.#sides.length < 2) return undefined;
    const plan = slotPlanOf(sides, number, size);
    const places = this.#sides.map((side) => sides.indexOf(side));
    const outcomes = places.map((place) => ends[place] as RunOutcome);
    const rounds = outcomes.map((outcome, at) => roundsIn(outcome, this.spec, { plan, place: places[at]! }));
    return {
      outcomes,
      rounds,
      shown: outcomes.map((outcome, at) => ({
        lastMs: arrivedUs(outcome, this.spec).map((us) => us / 1000),
        overlapping: rounds[at]!.overlapping.length,
      })),
      slotsMs: places.map((place) => size.slotsMs[place]!),
    };
  }

  /** Restarts all external targets before any is measured. A twin shares the processes of its original. */
  async #restartExternal(): Promise<void> {
    const faults = await Promise.all(
      this.#sides.map(({ plan, twinOf }) =>
        twinOf === null ? freshProcesses(plan.target, this.context.interrupt) : undefined,
      ),
    );
    const back = this.#sides.filter((side, place) => !faults[place] || stays(side, faults[place]));
    this.#sides = withoutOrphan(back);
  }
}

/**
 * Returns true if a side can go on; otherwise its row says why not. A target that did not accept every publish goes on:
 * such broadcasts rank behind all others.
 */
function stays({ row }: Side, end: RunOutcome | ProblemError): boolean {
  if (!(end instanceof ProblemError)) {
    const { code } = end.result.stop;
    if (stopReasons[code].isComplete || code === 'publishesShort') return true;
  }
  if (row) {
    row.state = 'failed';
    row.why = end instanceof ProblemError ? end.message : stopInWords(end.result.stop);
    if (!(end instanceof ProblemError)) row.runs.push({ directory: end.directory, result: end.result });
  }
  return false;
}

/** Slots that are still too short after this many pilots grow with the starts. */
const mostPilots = 4;

/**
 * Returns the slots of each side, and the time that a start takes besides its rounds. The slots are as asked, or a
 * pilot finds them under the load of the comparison. Undefined if too few sides are left.
 */
export async function findSlots(
  starts: PairedStarts,
  askedMs: number | undefined,
): Promise<Pick<Budget, 'slotsMs' | 'besideMs'> | undefined> {
  const [side] = starts.sides;
  if (!side) return undefined;
  if (askedMs !== undefined) return { slotsMs: starts.sides.map(() => askedMs), besideMs: startMs };
  const { options, scenario, load } = side.plan;
  const leastMs = starts.spec.leastSlotMs?.(options) ?? 0;
  let pilot = firstPilot(starts.sides.length, scenario.demand(options, load).clients, leastMs);
  for (let look = 1; ; look++) {
    starts.context.begins('finding the slot length', 0, look);
    const fromMs = performance.now();
    const started = await starts.make(pilot, 0);
    if (!started) return undefined;
    const slotsMs = slotsAfter(started.shown, leastMs, starts.spec.spreadShare ?? 0);
    const besideMs = Math.max(0, performance.now() - fromMs - roundsMs(pilot));
    if (look === mostPilots || started.shown.every(({ overlapping }) => overlapping <= 1)) return { slotsMs, besideMs };
    pilot = nextPilot(slotsMs);
  }
}
