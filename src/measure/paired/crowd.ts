import { probit } from 'simple-statistics';
import { drawsOf } from '../stats/bootstrap.js';
import { estimate, interval95, normal95, ratioOf } from '../stats/estimate.js';
import { wholeError } from './looks.js';
import type { SlotPlan } from './slots.js';
import { slotTimes } from './slots.js';

/** A time in which one target runs alone and all others are stopped, in milliseconds from the start of the rounds. */
export interface AloneWindow {
  target: number;
  fromMs: number;
  toMs: number;
}

const aloneMs = 1000;
/** Between two windows all targets run. */
const crowdedMs = 500;
/** After a change the next slots are left out: stopped processes catch up. */
const guardMs = 150;

/** Windows for `times` turns of each of the first `targets` targets, in a seeded order, with time for all between. */
export function aloneWindows(seed: number, targets: number, times: number): AloneWindow[] {
  const draw = drawsOf(seed ^ 0xa10e);
  const order = Array.from({ length: times }, () => {
    const turn = Array.from({ length: targets }, (_, target) => target);
    for (let last = turn.length - 1; last > 0; last--) {
      const other = draw(last + 1);
      [turn[last], turn[other]] = [turn[other]!, turn[last]!];
    }
    return turn;
  }).flat();
  return order.map((target, turn) => {
    const fromMs = crowdedMs + turn * (aloneMs + crowdedMs);
    return { target, fromMs, toMs: fromMs + aloneMs };
  });
}

/** How long windows and the time after the last of them take, in milliseconds. */
export function windowsMs(windows: readonly AloneWindow[]): number {
  return (windows.at(-1)?.toMs ?? 0) + crowdedMs;
}

/** Which measured rounds of a target fell into its own windows, and which into none. The others are in neither. */
export function roundsAlone(
  plan: SlotPlan,
  target: number,
  windows: readonly AloneWindow[],
): { alone: number[]; crowded: number[] } {
  const [alone, crowded]: [number[], number[]] = [[], []];
  slotTimes(plan, target).forEach((ns, round) => {
    const [fromMs, toMs] = [ns / 1e6, ns / 1e6 + plan.slotsMs[target]!];
    const own = windows.some((each) => each.target === target && fromMs >= each.fromMs + guardMs && toMs <= each.toMs);
    const isClear = windows.every((each) => toMs <= each.fromMs || fromMs >= each.toMs + guardMs);
    if (own) alone.push(round);
    else if (isClear) crowded.push(round);
  });
  return { alone, crowded };
}

/** What the crowd of idle neighbours does to a target: its latency among all over that alone. */
export interface CrowdEffect {
  ratio: number;
  interval: [low: number, high: number];
}

/** The effect from medians per round in microseconds; undefined with too few rounds on either side. */
export function crowdEffect(crowdedUs: readonly number[], aloneUs: readonly number[]): CrowdEffect | undefined {
  const found = estimateRatio(crowdedUs, aloneUs);
  return found && { ratio: Math.exp(found.centre), interval: interval95(found) };
}

/**
 * Whether two effects differ by more than `margin` beyond their noise: then the order of their targets is in doubt. One
 * in twenty comparisons of `pairs` pairs may say so where no two differ.
 */
export function differ(one: CrowdEffect, other: CrowdEffect, margin: number, pairs = 1): boolean {
  const distance = Math.log(one.ratio / other.ratio);
  const forAllPairs = probit(1 - wholeError / (2 * pairs)) / normal95;
  const reach = Math.hypot(halfWidth(one), halfWidth(other)) * forAllPairs;
  return Math.abs(distance) > Math.log1p(margin) && Math.abs(distance) > reach;
}

/** Crowd effects that differ by more than this put an order in doubt. */
const orderMargin = 0.05;

/** Whether idle neighbours slow two targets down by clearly different shares; false where that was not measured. */
export function isByCrowd(crowd: readonly (CrowdEffect & { target: string })[] | null, a: string, b: string): boolean {
  const [one, other] = [a, b].map((name) => crowd?.find(({ target }) => target === name));
  const targets = crowd?.length ?? 0;
  return one !== undefined && other !== undefined && differ(one, other, orderMargin, (targets * (targets - 1)) / 2);
}

function estimateRatio(one: readonly number[], other: readonly number[]) {
  const [of, over] = [estimate(one, []), estimate(other, [])];
  return of && over && ratioOf(of, over);
}

function halfWidth({ interval: [low, high] }: CrowdEffect): number {
  return Math.log(high / low) / 2;
}
