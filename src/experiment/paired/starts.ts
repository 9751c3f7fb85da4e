import { ProblemError } from '../../contract/problems.js';
import { stopInWords, stopReasons } from '../../contract/stop-reasons.js';
import type { PairedRounds } from '../../results/paired.js';
import type { Slots } from '../../scenarios/slots.js';
import type { Made, Turn } from '../cells.js';
import { arrivedUs, roundsIn } from './rounds.js';
import {
  cellsOfStart,
  type Side,
  type SideRun,
  type StartSize,
  sideRunOf,
  slotPlanOf,
  withoutOrphan,
} from './sides.js';
import {
  type Budget,
  firstPilot,
  isStart,
  nextPilot,
  roundsMs,
  type ShownSlots,
  slotsAfter,
  startMs,
} from './start-size.js';

/** Holds the results of one start for the sides that stay, by side. */
export interface Started {
  outcomes: SideRun[];
  /** Time that the comparison had taken at its end, and that this start took, in milliseconds. */
  atMs: number;
  tookMs: number;
  rounds: PairedRounds[];
  shown: ShownSlots[];
  /** Slots that these sides had. */
  slotsMs: number[];
}

/** Asks for the starts of one comparison, one after the other. Sides that fail leave it. */
export class PairedStarts {
  readonly spec: Slots;
  #sides: readonly Side[];
  #atMs = 0;

  constructor(spec: Slots, sides: readonly Side[]) {
    this.spec = spec;
    this.#sides = sides;
  }

  /** Returns the sides that have not left. */
  get sides(): readonly Side[] {
    return this.#sides;
  }

  /** Milliseconds that all starts so far have taken. */
  get atMs(): number {
    return this.#atMs;
  }

  /** Asks for one start of all sides. Undefined if a run was interrupted, or if fewer than two sides stay. */
  async *make(
    given: StartSize,
    { number, folder = '', round = number, shown }: AskedStart,
  ): AsyncGenerator<Turn, Started | undefined, readonly Made[]> {
    const sides = this.#sides;
    const ends = yield { cells: cellsOfStart(sides, this.spec, given, { number, folder }), round, shown };
    const runs = await Promise.all(ends.map((end) => (end instanceof ProblemError ? end : sideRunOf(end))));
    const fromMs = this.#atMs;
    this.#atMs = Math.max(fromMs, ...ends.map((end) => (end instanceof ProblemError ? 0 : end.atMs)));
    if (runs.some((end) => !(end instanceof ProblemError) && end.result.stop.code === 'interrupted')) return undefined;
    const whole = sides.filter((side, index) => stays(side, runs[index]!));
    this.#sides = whole.length === sides.length ? sides : withoutOrphan(whole);
    if (this.#sides.length < 2) return undefined;
    const places = this.#sides.map((side) => sides.indexOf(side));
    const outcomes = places.map((place) => runs[place] as SideRun);
    const { size } = outcomes[0]!;
    const plan = slotPlanOf(sides, number, size);
    const rounds = outcomes.map((outcome, at) => roundsIn(outcome, this.spec, { plan, place: places[at]! }));
    return {
      outcomes,
      ...{ atMs: this.#atMs, tookMs: this.#atMs - fromMs },
      rounds,
      shown: outcomes.map((outcome, at) => ({
        lastMs: arrivedUs(outcome, this.spec).map((us) => us / 1000),
        overlapping: rounds[at]!.overlapping.length,
      })),
      slotsMs: places.map((place) => size.slotsMs[place]!),
    };
  }
}

interface AskedStart {
  number: number;
  folder?: string;
  round?: number;
  shown: NonNullable<Turn['shown']>;
}

/** Returns false for a side that can't go on, whose row says why. One that refused some publishes can. */
function stays({ row }: Side, end: SideRun | ProblemError): boolean {
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

/** Holds the slots of each side, the time that a start takes besides its rounds, and a pilot that is a start itself. */
interface FoundSlots extends Pick<Budget, 'slotsMs' | 'besideMs'> {
  first?: Started;
}

/** Returns slots as asked, or those that a pilot finds under load. Undefined if too few sides are left. */
export async function* findSlots(
  starts: PairedStarts,
  askedMs: number | undefined,
): AsyncGenerator<Turn, FoundSlots | undefined, readonly Made[]> {
  const [side] = starts.sides;
  if (!side) return undefined;
  if (askedMs !== undefined) return { slotsMs: starts.sides.map(() => askedMs), besideMs: startMs };
  const { options, scenario, load } = side.plan;
  const leastMs = starts.spec.leastSlotMs?.(options) ?? 0;
  let pilot = firstPilot(starts.sides.length, scenario.demand(options, load).clients, leastMs);
  for (let look = 1; ; look++) {
    const shown = { label: 'finding the slot length', number: 0, of: look };
    const started = yield* starts.make(pilot, { number: 0, folder: 'pilot', round: look, shown });
    if (!started) return undefined;
    const { spreadShare = 0 } = starts.spec;
    const slotsMs = slotsAfter(started.slotsMs, started.shown, { leastSlotMs: leastMs, spreadShare });
    const besideMs = Math.max(0, started.tookMs - roundsMs(pilot));
    const isLongEnough = started.shown.every(({ overlapping }) => overlapping <= 1);
    const first = isStart(pilot) && { first: started };
    if (look === mostPilots || isLongEnough || (look > 1 && first)) return { slotsMs, besideMs, ...first };
    pilot = nextPilot(slotsMs);
  }
}
