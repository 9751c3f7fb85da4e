import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { ProblemError } from '../../contract/problems.js';
import { stopInWords, stopReasons } from '../../contract/stop-reasons.js';
import { roundMs, type SlotPlan } from '../../measure/paired/slots.js';
import type { ComparisonRow } from '../../results/comparison.js';
import type { PairedRounds } from '../../results/paired.js';
import type { Plan } from '../../run/plan/plan.js';
import { type RunOutcome, run } from '../../run/run.js';
import { freshProcesses } from '../../run/server/restart.js';
import type { LiveTarget } from '../../run/server/start-target.js';
import { startTogether } from '../../run/together.js';
import type { Slots } from '../../scenarios/scenario.js';
import type { Cell, Made, MadeRun, Turn } from '../cells.js';
import { arrivedUs, roundsIn } from './rounds.js';
import {
  type Budget,
  firstPilot,
  isStart,
  nextPilot,
  roundsMs,
  type ShownSlots,
  type StartSize,
  slotsAfter,
  startMs,
} from './start-size.js';

/** Holds one process, or several, of a target. The twin is a second one of another side. */
export interface Side {
  plan: Plan;
  label: string;
  twinOf: string | null;
  /** Undefined for the twin. */
  row: ComparisonRow | undefined;
  /** Outcomes of the starts that count. */
  outcomes: SideRun[];
  rounds: PairedRounds[];
}

/** Returns the sides that can run, and a twin of the first managed one. An external target has no second process. */
export function sidesOf(cells: readonly Cell[], rows: readonly ComparisonRow[]): Side[] {
  const sides = cells.flatMap(({ plan, label }, index): Side[] => {
    const row = rows[index];
    return row?.state === 'ran' ? [{ plan, label, twinOf: null, row, outcomes: [], rounds: [] }] : [];
  });
  const original = sides.find(({ plan }) => plan.target.isOurs) ?? (sides.length === 1 ? sides[0] : undefined);
  if (!original) return sides;
  const label = `${original.label} (twin)`;
  const plan = { ...original.plan, target: { ...original.plan.target, name: label } };
  return [...sides, { plan, label, twinOf: original.label, row: undefined, outcomes: [], rounds: [] }];
}

interface StartContext {
  /** Changes the seed of this start. */
  number: number;
  /** Folder of its runs in the directory of the comparison, which also names its cells. Empty for starts that count. */
  folder: string;
  /** Targets that already serve and outlive the start, by side. */
  held?: readonly LiveTarget[];
  /** Called before a stage starts on all sides, with the time of that start by `performance.now()`. */
  starts?(gate: string, atMs: number): void;
}

function seedOf(plan: Plan, number: number): number {
  return (plan.fleet.seed + number) % 2 ** 32;
}

/** Returns the slots of one start, warm-up included. */
export function slotPlanOf([side]: readonly Side[], number: number, { rounds, warmUp, slotsMs }: StartSize): SlotPlan {
  return { seed: side ? seedOf(side.plan, number) : number, rounds: rounds + warmUp, slotsMs };
}

/** Describes what a start keeps beside the run of each side: its size, and the series that a run does not keep. */
const startFacts = z.object({
  size: z.object({ rounds: z.number(), warmUp: z.number(), slotsMs: z.array(z.number()) }),
  series: z.record(z.string(), z.array(z.number())),
});

/** Holds the run of one side in a start, with all its series, and the size of the start. */
export interface SideRun extends Pick<RunOutcome, 'result' | 'directory' | 'series'> {
  size: StartSize;
}

/** Returns the run of a side that was made now, or kept by its journal. */
export async function sideRunOf({ result, directory, series, found }: Omit<MadeRun, 'atMs'>): Promise<SideRun> {
  const facts = startFacts.parse(found);
  const own = Object.entries(facts.series).map(([name, values]) => [name, Uint32Array.from(values)]);
  return { result, directory, series: { ...(await series()), ...Object.fromEntries(own) }, size: facts.size };
}

/** Returns the cells of one start. They run at once, in the slots of one schedule. */
export function cellsOfStart(
  sides: readonly Side[],
  spec: Slots,
  size: StartSize,
  { number, folder, held, starts }: StartContext,
): Cell[] {
  const group = randomBytes(4).toString('hex');
  const attendants = startTogether(sides.length, starts);
  const { seed, rounds, slotsMs } = slotPlanOf(sides, number, size);
  const isRestarted = number > 0 && !held;
  let restarts: Promise<(ProblemError | undefined)[]> | undefined;
  return sides.map(({ plan, label }, place): Cell => {
    const slots = { group, seed, place, rounds, slotsMs: [...slotsMs] };
    const options = {
      ...plan.options,
      ...fastRamp(plan),
      ...spec.options({ rounds: size.rounds, warmUp: size.warmUp, roundMs: roundMs(slotsMs) }),
    };
    const make: Cell['make'] = async (asked, context) => {
      // All external targets restart before any is measured.
      restarts ??= isRestarted ? restartExternal(sides, context.interrupt) : Promise.resolve([]);
      const fault = (await restarts)[place];
      if (fault) {
        attendants[place]!.leave();
        throw fault;
      }
      const progress = place === 0 ? context.progress : () => undefined;
      const fleet = { ...asked.fleet, resultsDir: join(asked.fleet.resultsDir, folder) };
      const togetherWith = { ...context, progress, attendant: attendants[place], held: held?.[place] };
      const outcome = await run({ ...asked, fleet }, togetherWith);
      const unkept = [spec.came, spec.missing, 'stolenUs'].flatMap((name) => {
        const values = outcome.series[name];
        return values ? [[name, [...values]] as const] : [];
      });
      return { ...outcome, found: { size, series: Object.fromEntries(unkept) } };
    };
    return { plan: { ...plan, slots, options }, label: folder === '' ? label : `${folder} ${label}`, make };
  });
}

/** A twin shares the processes of its original. */
function restartExternal(sides: readonly Side[], interrupt: AbortSignal): Promise<(ProblemError | undefined)[]> {
  return Promise.all(
    sides.map(({ plan, twinOf }) => (twinOf === null ? freshProcesses(plan.target, interrupt) : undefined)),
  );
}

/** Clients connect within this time, unless the user set the ramp, because the ramp is not compared. */
const rampSeconds = 5;

function fastRamp({ options, sources, scenario, load }: Plan): { rampRatePerSecond?: number } {
  const { rampRatePerSecond: usual } = options;
  if (typeof usual !== 'number' || !['default', 'published'].includes(sources.rampRatePerSecond ?? 'default'))
    return {};
  return { rampRatePerSecond: Math.max(usual, Math.ceil(scenario.demand(options, load).clients / rampSeconds)) };
}

/** Holds the results of one start for the sides that stay, by side. */
export interface Started {
  outcomes: SideRun[];
  /** Milliseconds that this start took. */
  tookMs: number;
  rounds: PairedRounds[];
  shown: ShownSlots[];
  /** Slots that these sides had. */
  slotsMs: number[];
}

/** Asks for the starts of one comparison, one after the other. Sides that fail leave it. */
export class PairedStarts {
  /** Milliseconds that all starts so far have taken. */
  atMs = 0;

  /** `sides` are those that have not left. With fewer than so many targets there is nothing to compare. */
  constructor(
    readonly spec: Slots,
    public sides: readonly Side[],
    private readonly leastTargets = 1,
  ) {}

  /** True if too few sides have stayed to compare anything. */
  get isTooFew(): boolean {
    return this.sides.length < 2 || this.sides.filter(({ twinOf }) => twinOf === null).length < this.leastTargets;
  }

  /** Asks for one start of all sides. Undefined if a run was interrupted, or if fewer than two sides stay. */
  async *make(
    given: StartSize,
    { number, folder = '', round = number, shown }: AskedStart,
  ): AsyncGenerator<Turn, Started | undefined, readonly Made[]> {
    const sides = this.sides;
    const ends = yield { cells: cellsOfStart(sides, this.spec, given, { number, folder }), round, shown };
    const runs = await Promise.all(ends.map((end) => (end instanceof ProblemError ? end : sideRunOf(end))));
    const fromMs = this.atMs;
    this.atMs = Math.max(fromMs, ...ends.map((end) => (end instanceof ProblemError ? 0 : end.atMs)));
    if (runs.some((end) => !(end instanceof ProblemError) && end.result.stop.code === 'interrupted')) return undefined;
    const whole = sides.filter((side, index) => stays(side, runs[index]!));
    // The twin of a side that failed leaves with it.
    this.sides = whole.filter(({ twinOf }) => twinOf === null || whole.some(({ label }) => label === twinOf));
    if (this.isTooFew) return undefined;
    const places = this.sides.map((side) => sides.indexOf(side));
    const outcomes = places.map((place) => runs[place] as SideRun);
    const { size } = outcomes[0]!;
    const plan = slotPlanOf(sides, number, size);
    const rounds = outcomes.map((outcome, at) => roundsIn(outcome, this.spec, { plan, place: places[at]! }));
    return {
      ...{ outcomes, rounds, tookMs: this.atMs - fromMs },
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
