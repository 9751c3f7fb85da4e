import { probit } from 'simple-statistics';
import { drawsOf } from '../stats/bootstrap.js';
import { estimate, interval95, normal95, ratioOf } from '../stats/estimate.js';
import { wholeError } from './compare-starts.js';
import { type SlotPlan, shuffled, slotTimes } from './slots.js';

/** Describes a period in which one target runs alone and all others are stopped, from the start of the rounds. */
export interface AloneWindow {
  target: number;
  fromMs: number;
  toMs: number;
}

const aloneMs = 1000;
const crowdedMs = 500;
/** After a change, the slots of this period are left out because stopped processes catch up. */
const guardMs = 150;

/** Returns `times` windows of each of the first `targets` targets, in a seeded order. All run in between. */
export function aloneWindows(seed: number, targets: number, times: number): AloneWindow[] {
  const draw = drawsOf(seed ^ 0xa10e);
  const all = Array.from({ length: targets }, (_, target) => target);
  const order = Array.from({ length: times }, () => shuffled(all, draw)).flat();
  return order.map((target, turn) => {
    const fromMs = crowdedMs + turn * (aloneMs + crowdedMs);
    return { target, fromMs, toMs: fromMs + aloneMs };
  });
}

export function windowsMs(windows: readonly AloneWindow[]): number {
  return (windows.at(-1)?.toMs ?? 0) + crowdedMs;
}

/** Splits the measured rounds of a target into those within its own windows and those outside all windows. */
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

/** Holds the effect of idle neighbours on a target: its latency among all targets over its latency alone. */
export interface CrowdEffect {
  ratio: number;
  interval: [low: number, high: number];
}

/** Returns the effect from medians per round in microseconds. Undefined with too few rounds on either side. */
export function crowdEffect(crowdedUs: readonly number[], aloneUs: readonly number[]): CrowdEffect | undefined {
  const [crowded, alone] = [estimate(crowdedUs, []), estimate(aloneUs, [])];
  if (!crowded || !alone) return undefined;
  const found = ratioOf(crowded, alone);
  return { ratio: Math.exp(found.centre), interval: interval95(found) };
}

/** Returns true if two effects differ by more than `margin` beyond noise: by chance, in one of twenty comparisons. */
export function differ(one: CrowdEffect, other: CrowdEffect, margin: number, pairs = 1): boolean {
  const distance = Math.log(one.ratio / other.ratio);
  const forAllPairs = probit(1 - wholeError / (2 * pairs)) / normal95;
  const reach = Math.hypot(halfWidth(one), halfWidth(other)) * forAllPairs;
  return Math.abs(distance) > Math.log1p(margin) && Math.abs(distance) > reach;
}

/** An order is not reliable if the crowd effects of its targets differ by more than this. */
const orderMargin = 0.05;

/** Returns true if idle neighbours slow two targets down by clearly different shares. False if not measured. */
export function isByCrowd(crowd: readonly (CrowdEffect & { target: string })[] | null, a: string, b: string): boolean {
  const [one, other] = [a, b].map((name) => crowd?.find(({ target }) => target === name));
  const targets = crowd?.length ?? 0;
  return one !== undefined && other !== undefined && differ(one, other, orderMargin, (targets * (targets - 1)) / 2);
}

function halfWidth({ interval: [low, high] }: CrowdEffect): number {
  return Math.log(high / low) / 2;
}
