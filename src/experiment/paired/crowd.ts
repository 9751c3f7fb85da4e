import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError } from '../../contract/problems.js';
import {
  type AloneWindow,
  aloneWindows,
  type CrowdEffect,
  crowdEffect,
  roundsAlone,
  windowsMs,
} from '../../measure/paired/neighbours.js';
import { roundMs } from '../../measure/paired/slots.js';
import type { RunContext } from '../../run/run.js';
import { startPlanned } from '../../run/server/start-target.js';
import { processesOf, StoppableGroups } from '../../run/server/supervised.js';
import type { Slots } from '../../scenarios/scenario.js';
import { makeAtOnce } from '../cells.js';
import { roundsIn } from './rounds.js';
import { type StartSize, startMs } from './start-size.js';
import { cellsOfStart, type Side, sideRunOf, slotPlanOf } from './starts.js';

/** Number of times that each target runs alone. */
const times = 2;

/** Returns true if Ringside can stop all processes for a while: they are its own, one per target. */
export function canStop(sides: readonly Side[]): boolean {
  return sides.every(({ plan }) => plan.target.isOurs && processesOf(plan) === 1);
}

/** A longer round leaves too few rounds in a window. */
const longestRoundMs = 400;

/** Returns about how long the check takes in milliseconds; 0 if there is nothing to check, or no time in a window. */
export function crowdMs(sides: readonly Side[], { slotsMs }: Pick<StartSize, 'slotsMs'>): number {
  const isShort = roundMs(slotsMs) <= longestRoundMs;
  return sides.length > 2 && isShort ? windowsMs(windowsOf(sides, 0)) + startMs : 0;
}

/** Measures the effect of idle neighbours on each target, which are stopped (SIGSTOP) for a second at a time. */
export async function crowdEffects(
  sides: readonly Side[],
  spec: Slots,
  size: StartSize,
  { number, directory, context }: { number: number; directory: string; context: RunContext },
): Promise<(CrowdEffect | undefined)[]> {
  const held = await Promise.all(sides.map(({ plan }) => startPlanned(plan.target, { redeployment: undefined })));
  // Each target leads the process group of everything that it started.
  const leaders = held.map(({ sights: { pid } }) => pid!);
  const groups = new StoppableGroups(leaders);
  const over = new AbortController();
  try {
    const rounds = Math.ceil(windowsMs(windowsOf(sides, 0)) / roundMs(size.slotsMs));
    const crowded = { ...size, rounds };
    const plan = slotPlanOf(sides, number, crowded);
    const windows = windowsOf(sides, number);
    let stopping: Promise<void> | undefined;
    const starts = (gate: string, atMs: number): void => {
      if (gate === 'start') stopping = stopInTurn(groups, leaders, windows, atMs, over.signal);
    };
    const cells = cellsOfStart(sides, spec, crowded, { number, folder: 'alone', held, starts });
    const ends = await makeAtOnce(cells, directory, context);
    over.abort();
    await stopping;
    const runs = await Promise.all(ends.map((end) => (end instanceof ProblemError ? undefined : sideRunOf(end))));
    return runs.map((run, place) => {
      if (!run || sides[place]?.twinOf !== null) return undefined;
      const { p50Us } = roundsIn(run, spec, { plan, place });
      const all = roundsAlone(plan, place, windows);
      const us = (of: readonly number[]): number[] => of.flatMap((round) => p50Us[round - crowded.warmUp] ?? []);
      return crowdEffect(us(all.crowded), us(all.alone));
    });
  } finally {
    over.abort();
    await groups.end();
    await Promise.all(held.map((target) => target.stop()));
  }
}

function windowsOf(sides: readonly Side[], seed: number): AloneWindow[] {
  return aloneWindows(seed, sides.filter(({ twinOf }) => twinOf === null).length, times);
}

/** Stops all targets but one in each window, until the run is over. */
async function stopInTurn(
  groups: StoppableGroups,
  leaders: readonly number[],
  windows: readonly AloneWindow[],
  startMs: number,
  over: AbortSignal,
): Promise<void> {
  const until = (atMs: number): Promise<unknown> =>
    delay(Math.max(0, startMs + atMs - performance.now()), undefined, { signal: over }).catch(() => undefined);
  for (const { target, fromMs, toMs } of windows) {
    await until(fromMs);
    if (over.aborted) return;
    const others = leaders.filter((_, place) => place !== target);
    for (const each of others) groups.stop(each);
    await until(toMs);
    for (const each of others) groups.goOn(each);
  }
}
