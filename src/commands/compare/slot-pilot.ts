import type { PairedStarts } from './paired-starts.js';
import { type Budget, firstPilot, nextPilot, roundsMs, slotsAfter, startMs } from './start-size.js';

/** Slots that are still too short after so many looks grow with the starts. */
const mostPilots = 4;

/**
 * The slots of each side, and what a start takes beside its rounds: as asked, or found by a pilot under the load of the
 * comparison. Undefined if too few sides are left.
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
