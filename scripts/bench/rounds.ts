import { median } from 'simple-statistics';
import type { BenchContext, Bound, Finding } from './judge.js';

/** Describes the cost of one side in one round. */
export interface Round {
  cpuUs: number;
  /** Deliveries, connections or messages. */
  units: number;
  /** Reads of sockets per unit, if the side counts them. */
  readsPerUnit?: number | undefined;
}

/** Describes a part of a comparison that can't run on this machine, and how to install it. */
export interface Missing {
  name: string;
  lack: string;
}

/** Describes one side of a comparison. `turn` counts the measurements of all sides from 0. */
export interface Side<R extends Round = Round> {
  name: string;
  round(turn: number): Promise<R>;
}

/** Returns true if a side or a reader can run here. */
export function isHere<T extends object>(side: T | Missing): side is T {
  return !('lack' in side);
}

/** Returns all in the order of one round. Each is first as often as last, and every other cycle runs backwards. */
export function roundOrder<T>(all: readonly T[], round: number): T[] {
  const shift = round % all.length;
  const turned = [...all.slice(shift), ...all.slice(0, shift)];
  return Math.floor(round / all.length) % 2 === 0 ? turned : turned.reverse();
}

/** Measures every name in every round, in changing order. `turn` counts all measurements from 0. */
export async function inRounds<S extends string, T>(
  names: readonly S[],
  rounds: number,
  measure: (name: S, turn: number) => Promise<T>,
): Promise<Record<S, T[]>> {
  const found = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<S, T[]>;
  let turn = 0;
  for (let round = 0; round < rounds; round++)
    for (const name of roundOrder(names, round)) found[name].push(await measure(name, turn++));
  return found;
}

/** Holds the measured sides of a comparison. A side that can't run here has no rounds. */
export interface Sides<K extends string, R extends Round> {
  rounds: Partial<Record<K, R[]>>;
  /** Compares the cost of one side with another, round by round. */
  beside(bound: Bound, one: K, other: K, areComparable?: typeof areAlike): Finding;
  /** The cost of each side, as rows that explain a comparison. */
  rows: Finding[];
}

/** Measures the sides that can run here. */
export async function measureSides<K extends string, R extends Round>(
  sides: Readonly<Record<K, Side<R> | Missing>>,
  rounds: number,
  say: BenchContext['say'],
): Promise<Sides<K, R>> {
  const keys = Object.keys(sides) as K[];
  const here = keys.filter((key) => isHere(sides[key]));
  const found = await inRounds(here, rounds, async (key, turn) => {
    const { name, round } = sides[key] as Side<R>;
    const cost = await round(turn);
    say(`  ${name}: ${costText([cost])}, reads each ${cost.readsPerUnit?.toFixed(2) ?? 'unknown'}`);
    return cost;
  });
  return {
    rounds: found,
    beside(bound, one, other, areComparable) {
      const missing = [sides[one], sides[other]].find((side) => !isHere(side)) as Missing | undefined;
      if (missing) return { bound, lack: `${missing.name}: ${missing.lack}` };
      const { value, comparable, of } = roundRatio(found[one], found[other], areComparable);
      if (comparable > 0) return { bound, value, detail: `${comparable} of ${of} rounds comparable` };
      const reads = [one, other].map((key) => readsOf(found[key])?.toFixed(2) ?? 'unknown').join(' and ');
      return { bound, value, detail: `no round comparable: reads each ${reads}` };
    },
    rows: here.map((key) => {
      const reads = readsOf(found[key]);
      const each = `rounds ${found[key].map((round) => perUnit(round).toFixed(2)).join(', ')}`;
      const detail = reads === undefined ? each : `${each}; ${reads.toFixed(2)} reads each`;
      return { what: `  ${sides[key].name}`, measured: costText(found[key]), detail };
    }),
  };
}

function costText(rounds: readonly Round[]): string {
  return `${costOf(rounds).toFixed(2)} us`;
}

/** Returns the CPU of one unit in microseconds, the median of the rounds. */
export function costOf(rounds: readonly Round[]): number {
  return median(rounds.map(perUnit));
}

/** Returns the reads per unit, the median of the rounds with a count. Undefined without one. */
export function readsOf(rounds: readonly Round[]): number | undefined {
  const known = rounds.flatMap(({ readsPerUnit }) => readsPerUnit ?? []);
  return known.length === 0 ? undefined : median(known);
}

/** Describes the cost of one side relative to another that ran in the same rounds. */
interface Ratio {
  /** The median of the comparable rounds. NaN if there is none. */
  value: number;
  comparable: number;
  of: number;
}

/** Reads that carry several deliveries are cheaper. Beyond this difference, costs do not compare the sides. */
const mostReadsApart = 0.05;

/** Compares round by round. Two rounds are comparable if both count reads and differ in them by less than 5 %. */
export function roundRatio(ones: readonly Round[], others: readonly Round[], areComparable = areAlike): Ratio {
  const pairs = ones.slice(0, others.length).map((one, index) => [one, others[index] as Round] as const);
  const ratios = pairs.filter(([one, other]) => areComparable(one, other)).map(([a, b]) => perUnit(a) / perUnit(b));
  return { value: ratios.length === 0 ? Number.NaN : median(ratios), comparable: ratios.length, of: pairs.length };
}

function areAlike({ readsPerUnit: one }: Round, { readsPerUnit: other }: Round): boolean {
  if (one === undefined || other === undefined) return false;
  return Math.abs(one - other) < mostReadsApart * Math.max(one, other);
}

function perUnit({ cpuUs, units }: Round): number {
  return cpuUs / units;
}

/** Returns the cost of each further unit, from the totals of few and many. */
export function slopeOf(few: { units: number; value: number }, many: { units: number; value: number }): number {
  return (many.value - few.value) / (many.units - few.units);
}
