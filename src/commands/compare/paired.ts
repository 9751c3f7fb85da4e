import type { Plan } from '../../run/plan/plan.js';
import type { PairedOptions } from '../../run/plan/run-options.js';
import { lackingSamples } from '../../run/plan/thresholds.js';
import type { Scenario, Slots } from '../../scenarios/scenario.js';
import { duration } from '../../units/unit.js';

/** Returns the options of whole runs. Starts, rounds and slots replace them in a paired comparison. */
export function keysOfRuns({ slots }: Scenario): string[] {
  const ofSlots = Object.keys(slots?.options({ rounds: 1, warmUp: 0, roundMs: 1 }) ?? {});
  return ['repeat', 'isProving', ...ofSlots, ...(ofSlots.includes('broadcasts') ? ['durationMs'] : [])];
}

/** Returns what keeps a plan from paired slots. */
export function unfitFor(slots: Slots, { slotMs, rounds }: PairedOptions, plan: Plan): string[] {
  const least = slots.leastSlotMs?.(plan.options) ?? 0;
  const isShort = slotMs !== undefined && slotMs < least;
  const [expected, received] = [duration.print(least), duration.print(slotMs ?? least)];
  const options = { ...plan.options, ...slots.options({ rounds, warmUp: 0, roundMs: 1000 }) };
  return [
    ...(slots.contradictions?.(plan.options) ?? []),
    ...(isShort ? [`--slot: expected at least ${expected} for so many clients, received ${received}`] : []),
    ...plan.thresholds.flatMap((threshold) => {
      const lacking = lackingSamples(threshold, plan.scenario, options, 'use --design runs');
      return lacking === undefined ? [] : [`--threshold: ${lacking}`];
    }),
  ];
}
