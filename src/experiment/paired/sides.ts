import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { ProblemError } from '../../contract/problems.js';
import { roundMs, type SlotPlan } from '../../measure/paired/slots.js';
import type { ComparisonRow } from '../../results/comparison.js';
import type { PairedRounds } from '../../results/paired.js';
import type { RunOutcome } from '../../run/conclude.js';
import type { Plan } from '../../run/plan/plan.js';
import { run } from '../../run/run.js';
import type { LiveTarget } from '../../run/server/live-target.js';
import { freshProcesses } from '../../run/server/supervised.js';
import { startTogether } from '../../run/together.js';
import type { Slots } from '../../scenarios/slots.js';
import type { Cell, MadeRun } from '../cells.js';

/** Holds the number of rounds of one start, and their slots. */
export interface StartSize {
  rounds: number;
  warmUp: number;
  /** Slots by side. */
  slotsMs: readonly number[];
}

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

/**
 * Returns the sides that can run, and the twin of the first managed one. An external target has no second process: its
 * twin would be a second audience, and slow it down. It has a twin only if it is the only target.
 */
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

/** Leaves out the twin of a side that failed. */
export function withoutOrphan(sides: readonly Side[]): Side[] {
  return sides.filter(({ twinOf }) => twinOf === null || sides.some(({ label }) => label === twinOf));
}

/** Describes one start. */
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

/**
 * The clients of a comparison connect within this time, unless the user set the ramp, because the ramp is not compared.
 * That of a published table does not count.
 */
const rampSeconds = 5;

function fastRamp({ options, sources, scenario, load }: Plan): { rampRatePerSecond?: number } {
  const { rampRatePerSecond: usual } = options;
  if (typeof usual !== 'number' || !['default', 'published'].includes(sources.rampRatePerSecond ?? 'default'))
    return {};
  return { rampRatePerSecond: Math.max(usual, Math.ceil(scenario.demand(options, load).clients / rampSeconds)) };
}
