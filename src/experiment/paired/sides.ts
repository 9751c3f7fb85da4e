import { randomBytes } from 'node:crypto';
import { ProblemError } from '../../contract/problems.js';
import { roundMs, type SlotPlan } from '../../measure/paired/slots.js';
import type { ComparisonRow } from '../../results/comparison.js';
import type { PairedRounds } from '../../results/paired.js';
import type { RunOutcome } from '../../run/conclude.js';
import type { Plan } from '../../run/plan/plan.js';
import { run } from '../../run/run.js';
import type { LiveTarget } from '../../run/server/live-target.js';
import { startTogether } from '../../run/together.js';
import type { Slots } from '../../scenarios/slots.js';
import type { ExperimentContext } from '../cells.js';

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
  outcomes: RunOutcome[];
  rounds: PairedRounds[];
}

/**
 * Returns the sides that can run, and the twin of the first managed one. An external target has no second process: its
 * twin would be a second audience, and slow it down. It has a twin only if it is the only target.
 */
export function sidesOf(plans: readonly Plan[], rows: readonly ComparisonRow[]): Side[] {
  const sides = plans.flatMap((plan, index): Side[] => {
    const row = rows[index];
    return row?.state === 'ran' ? [{ plan, label: plan.target.name, twinOf: null, row, outcomes: [], rounds: [] }] : [];
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
  resultsDir: string;
  context: ExperimentContext;
  /** Targets that already serve and outlive the start, by side. */
  held?: readonly LiveTarget[];
  /** Called before a stage starts on all sides, with the time of that start by `performance.now()`. */
  starts?(gate: string, atMs: number): void;
}

export function seedOf(plan: Plan, number: number): number {
  return (plan.fleet.seed + number) % 2 ** 32;
}

/** Returns the slots of one start, warm-up included. */
export function slotPlanOf([side]: readonly Side[], number: number, { rounds, warmUp, slotsMs }: StartSize): SlotPlan {
  return { seed: side ? seedOf(side.plan, number) : number, rounds: rounds + warmUp, slotsMs };
}

/** Runs all sides at once, in the slots of one schedule. A side that can't run resolves with its problem. */
export async function runSides(
  sides: readonly Side[],
  spec: Slots,
  size: StartSize,
  { number, resultsDir, context, held, starts }: StartContext,
): Promise<(RunOutcome | ProblemError)[]> {
  const group = randomBytes(4).toString('hex');
  const attendants = startTogether(sides.length, starts);
  const { seed, rounds, slotsMs } = slotPlanOf(sides, number, size);
  return Promise.all(
    sides.map(async ({ plan }, place): Promise<RunOutcome | ProblemError> => {
      const slots = { group, seed, place, rounds, slotsMs: [...slotsMs] };
      const options = {
        ...plan.options,
        ...fastRamp(plan),
        ...spec.options({ rounds: size.rounds, warmUp: size.warmUp, roundMs: roundMs(slotsMs) }),
      };
      const own = { ...plan, slots, options, fleet: { ...plan.fleet, resultsDir } };
      const progress = place === 0 ? context.progress : () => undefined;
      try {
        return await run(own, { ...context, progress, attendant: attendants[place], held: held?.[place] });
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        return error;
      }
    }),
  );
}

/**
 * The clients of a comparison connect within this time, unless the user set the ramp, because the ramp is not compared.
 */
const rampSeconds = 5;

function fastRamp({ options, sources, scenario, load }: Plan): { rampRatePerSecond?: number } {
  const { rampRatePerSecond: usual } = options;
  if (typeof usual !== 'number' || (sources.rampRatePerSecond ?? 'default') !== 'default') return {};
  return { rampRatePerSecond: Math.max(usual, Math.ceil(scenario.demand(options, load).clients / rampSeconds)) };
}
